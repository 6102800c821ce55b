import { afterEach, beforeEach, expect, it } from 'vitest';
import { problem } from '../../shared/contract/errors.ts';
import type { AgentId, Digest, RunId, StateId } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import { err } from '../../shared/lib/result.ts';
import type { Store } from '../store/store.ts';
import { openStore } from '../store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import type { PipelineState } from './pipeline/pipeline.ts';
import { RunDriver } from './run-driver.ts';

const newFolder = useTemporaryFolders();
const agentId = 'agent' as AgentId;
const stateId = 'first' as StateId;
const STRATEGY = { states: { [stateId]: { type: 'tool' } } } as unknown as Strategy;

let store: Store;
beforeEach(() => {
  store = openStore(newFolder());
});
afterEach(() => store.close());

it('runs that are tried again shortly wake the loop more and more often, or not at all', async () => {
  const digest = 'digest' as Digest;
  const run = { revisionDigest: digest, requestDigest: digest, title: 'Run', by: 'Test', input: {}, stateId };
  must(
    await store.write(({ journal }) => {
      for (const runId of ['one', 'two', 'three'] as RunId[])
        journal.append('trigger.fired', { agentId, runId, ...run });
    }),
  );
  const planned: (() => void)[] = [];
  // Only what the driver and a first step ask for; nothing can be written, so each run is to be tried later.
  const ports = {
    store: {
      connection: () => store.connection(),
      write: async () => err(problem('store-busy', 'The disk is busy.', 'Wait.')),
    },
    strategyOf: () => STRATEGY,
    clock: { read: () => ({ wallMs: 0, monotonicMs: 0, bootMs: 0 }) },
    timers: {
      after(_: number, act: () => void) {
        planned.push(act);
        return () => undefined;
      },
    },
  };
  const state = { ports, isDraining: false, isMoving: false, isCatchingUp: () => false } as unknown as PipelineState;
  const driver = new RunDriver(state, () => driver.drive(agentId));
  driver.drive(agentId);
  await driver.rest();
  for (let look = 0; look < 5; look += 1) {
    expect(planned).toHaveLength(1);
    planned.shift()?.();
    await driver.rest();
  }
});
