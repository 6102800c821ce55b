import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import { problem } from '../../src/shared/contract/errors.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { knownUpTo } from '../../src/shared/core/sync/sealed.ts';
import type { Frontier, SealedOperation } from '../../src/shared/core/sync/sealed.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { RELAY_BATCH_CHARACTERS } from '../../src/main/relays/relay.ts';
import type { PulledOperations, Relay, RelayState } from '../../src/main/relays/relay.ts';

/** What a relay makes of the entries of one device before it hands them to another. */
export type Tampering = (operations: readonly SealedOperation[]) => readonly SealedOperation[];

/** A relay in memory that keeps to the port by itself, and does whatever a test wants instead. */
export class HostileStorage {
  readonly journals = new Map<DeviceId, SealedOperation[]>();
  readonly acknowledged = new Map<DeviceId, Frontier>();
  /** By the device whose entries are changed on the way out; kept as they came. */
  readonly tampering = new Map<string, Tampering>();
  /** Pages as they are handed out, after everything else. */
  page: (page: PulledOperations) => PulledOperations = (page) => page;
  pageOperations = 1_000;
  /** What is answered instead, as long as it is set. */
  pushProblem: Problem | null = null;
  pullProblem: Problem | null = null;
  pulls = 0;

  heads(): Frontier {
    return Object.fromEntries([...this.journals].map(([deviceId, operations]) => [deviceId, operations.length]));
  }

  relayFor(deviceId: DeviceId): Relay {
    const state = (): RelayState => ({ heads: this.heads(), members: [], checkpoint: null });
    return {
      name: 'the test’s relay',
      contact: async () => ok(state()),
      push: async (operations) => this.#push(deviceId, operations),
      pull: async (have) => this.#pull(have),
      acknowledge: async (have) => {
        this.acknowledged.set(deviceId, have);
        return ok(null);
      },
      putCheckpoint: async () => ok(null),
      checkpointPart: async () => err(problem('relay-truncated', 'There is none.')),
      collect: async () => ok({ dropped: 0 }),
      letGo: async () => ok(null),
      close: async () => undefined,
    };
  }

  #push(deviceId: DeviceId, operations: readonly SealedOperation[]): Result<{ readonly head: number }, Problem> {
    if (this.pushProblem !== null) return err(this.pushProblem);
    const journal = this.journals.get(deviceId) ?? [];
    this.journals.set(deviceId, journal);
    for (const operation of operations) {
      const held = journal[operation.seq - 1];
      if (held === undefined) journal.push(operation);
      else if (canonicalJson({ ...held }) !== canonicalJson({ ...operation }))
        return err(problem('relay-fork', 'Another entry is held there.', 'Look for a copy.', { seq: operation.seq }));
    }
    return ok({ head: journal.length });
  }

  #pull(have: Frontier): Result<PulledOperations, Problem> {
    this.pulls += 1;
    if (this.pullProblem !== null) return err(this.pullProblem);
    const all = [...this.journals].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const missing = all.flatMap(([deviceId, journal]) => {
      const told = this.tampering.get(deviceId)?.(journal) ?? journal;
      return told.filter((operation) => operation.seq > knownUpTo(have, deviceId));
    });
    let characters = 0;
    const tooMany = missing.findIndex(({ box }, index) => {
      characters += box.length;
      return index >= this.pageOperations || (index > 0 && characters > RELAY_BATCH_CHARACTERS);
    });
    const operations = tooMany < 0 ? missing : missing.slice(0, tooMany);
    return ok(this.page({ operations, isMore: missing.length > operations.length }));
  }
}
