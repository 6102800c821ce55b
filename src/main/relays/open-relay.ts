import type { RelayChoice } from '../../shared/contract/sync-requests.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { err } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HubHere } from '../coordinators/choice/hub-here.ts';
import type { CoordinatorMemory } from '../coordinators/choice/kept-choice.ts';
import { postgresOptions } from '../coordinators/choice/open-chosen.ts';
import { readHubSecrets } from '../coordinators/hub/pair-with-hub.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { openFolderRelay } from './folder/folder-relay.ts';
import { openHubRelay } from './hub/hub-relay.ts';
import type { Relay } from './relay.ts';

/** What opening any relay can need. */
export interface RelayParts {
  readonly deviceId: DeviceId;
  readonly keys: SecretStore;
  readonly memory: CoordinatorMemory;
  readonly hubHere: HubHere;
  readonly wallMs: () => number;
}

/** Which relay, for whose devices, and whether a person has just chosen it. */
export interface RelayPlace {
  readonly choice: RelayChoice;
  readonly spaceId: string;
  readonly isNew: boolean;
}

const NOT_PAIRED = problem(
  'not-offered',
  'This device is not paired with a hub.',
  'Join a hub with its link first, then choose it here.',
);

/** Opens what was chosen. Only whoever uses PostgreSQL loads its driver. */
export async function openRelay(
  { choice, spaceId, isNew }: RelayPlace,
  parts: RelayParts,
): Promise<Result<Relay, Problem>> {
  const { deviceId, keys, memory, hubHere, wallMs } = parts;
  switch (choice.kind) {
    case 'folder':
      return openFolderRelay({ folder: choice.folder, spaceId, deviceId, isNew, wallMs });
    case 'this-hub':
      return hubHere.relay();
    case 'hub': {
      const paired = memory.paired.read();
      const secrets = paired === null ? null : await readHubSecrets(keys);
      if (paired === null || secrets === null) return err(NOT_PAIRED);
      const { coordinator: _, ...place } = paired;
      return openHubRelay({ ...place, ...secrets, deviceId });
    }
    case 'postgres': {
      const options = await postgresOptions(choice, { memory, keys });
      if (isNew) {
        const { installPostgresRelay } = await import('./postgres/relay-install.ts');
        const installed = await installPostgresRelay(options);
        if (!installed.ok) return installed;
      }
      const { openPostgresRelay } = await import('./postgres/postgres-relay.ts');
      return openPostgresRelay(options, { spaceId, deviceId });
    }
    default:
      return assertNever(choice);
  }
}
