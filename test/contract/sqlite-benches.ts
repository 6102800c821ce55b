import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import { createEmbeddedCoordinator } from '../../src/main/coordinators/sqlite/embedded-coordinator.ts';
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import { openStore } from '../../src/main/store/testing/store-bench.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import type { CoordinatorBench } from './coordinator-bench.ts';
import { createFakeClock } from './fake-clock.ts';
import type { FakeClock } from './fake-clock.ts';

/** A register in a folder of its own, with the clock the test moves. */
export interface SqliteBench extends CoordinatorBench {
  /** The register's machine starts again. */
  reboot(): Promise<void>;
  readonly folder: string;
  readonly file: string;
  readonly clock: FakeClock;
}

interface Begun {
  readonly coordinator: LeaseCoordinator;
  end(): Promise<void>;
}

/** Fails the test with the problem's own sentence. */
export function must<Value>(result: Result<Value, Problem>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export async function makeFileBench(): Promise<SqliteBench> {
  return makeBench('register.sqlite', (file, clock) => {
    const coordinator = must(openFileCoordinator({ file, clock }));
    return { coordinator, end: () => coordinator.close() };
  });
}

/** The embedded register in a real store, with its migrations and its group commit. */
export async function makeEmbeddedBench(): Promise<SqliteBench> {
  return makeBench('fencepost.sqlite', (file, clock) => {
    const store = openStore(join(file, '..'), clock);
    const coordinator = createEmbeddedCoordinator({
      register: () => store.connection()?.register ?? null,
      write: (job) => store.write(job),
    });
    return {
      coordinator,
      async end() {
        await coordinator.close();
        store.close();
      },
    };
  });
}

function makeBench(name: string, begin: (file: string, clock: FakeClock) => Begun): SqliteBench {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-register-'));
  const file = join(folder, name);
  const clock = createFakeClock();
  let begun = begin(file, clock);
  const restart = async (): Promise<void> => {
    await begun.end();
    begun = begin(file, clock);
  };
  return {
    folder,
    file,
    clock,
    coordinator: () => begun.coordinator,
    pass: async (ms) => clock.pass(ms),
    restart,
    async reboot() {
      clock.reboot();
      await restart();
    },
    async close() {
      await begun.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
