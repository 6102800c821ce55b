import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHubCertificate } from '../../src/main/hub/certificate.ts';
import type { CoordinatorIdentity } from '../../src/shared/core/lease/lease.ts';
import { forkWithin } from '../harness/fork-within.ts';
import type { ForkOptions } from '../harness/fork-within.ts';
import type { HubUnderTest } from './drivers/hub-register.ts';
import { HUB_PROGRAM, letIn } from './hub-under-test.ts';

/** A hub that runs undisturbed on another machine, or by another clock. */
export interface HubElsewhere {
  readonly place: string;
  /** What it takes for the time of day, ms. */
  wallMs(): Promise<number>;
  end(): Promise<void>;
}

/** Starts it for clients that are called as those of a run are. */
export async function beginHubElsewhere(
  clients: { readonly processes: number; readonly lanes: number },
  where: ForkOptions & { readonly host?: string } = {},
): Promise<HubElsewhere> {
  const { host = '127.0.0.1' } = where;
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-hub-'));
  const certificate = ensureHubCertificate(folder);
  if (!certificate.ok) throw new Error(certificate.error.message);
  const names = Array.from({ length: clients.processes }, (_, client) =>
    Array.from({ length: clients.lanes }, (__, lane) => `device-${client}-${lane}`),
  ).flat();
  const devices = await letIn(folder, ['onlooker', ...names]);
  const child = forkWithin(HUB_PROGRAM, [folder, '0', host], where);
  const exited = once(child, 'exit');
  const told = (await nextMessage(child, exited)) as { port: number; identity: CoordinatorIdentity };
  const { certificatePem } = certificate.value;
  const place: HubUnderTest = { address: host, port: told.port, identity: told.identity, certificatePem, devices };
  return {
    place: JSON.stringify(place),
    async wallMs() {
      child.send('calendar');
      return ((await nextMessage(child, exited)) as { wallMs: number }).wallMs;
    },
    async end() {
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function nextMessage(child: ChildProcess, exited: Promise<unknown>): Promise<unknown> {
  const ended = exited.then(() => Promise.reject(new Error('The hub ended by itself.')));
  const [message] = (await Promise.race([once(child, 'message'), ended])) as unknown[];
  return message;
}
