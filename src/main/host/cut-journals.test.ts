import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { DeviceId, RunId } from '../../shared/contract/identifiers.ts';
import type { Operation } from '../../shared/core/sync/operation.ts';
import { operationOf } from '../store/journal-rows.ts';
import type { OpRow } from '../store/journal-rows.ts';
import { openStore } from '../store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { foldOperations } from '../store/transactions/fold-operations.ts';
import { HostBench } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
/** How many devices take over side by side. */
const AT_ONCE = 6;

/** Every kind of state that a run passes without an outside act, and six effects. */
function everyState(origin: string): string {
  const post = (path: string, next: string): string =>
    `{ type: tool, call: { tool: http.request, method: POST, url: '${origin}/${path}' }, effect: { kind: blind }, onSuccess: ${next} }`;
  return `fencepost: 1
id: every-state
name: Every state
scope: { hosts: ['${new URL(origin).host}'] }
start: pick
states:
  pick: { type: choice, branches: [{ when: '1 == 2', to: finish }], otherwise: each }
  each: { type: workset, items: '["apple", "pear", "plum"]', do: send, onSuccess: rest }
  send: ${post('items/{{ item }}', 'arrived')}
  arrived: { type: done }
  rest: { type: wait, forMs: 10, onSuccess: both }
  both: { type: fork, branches: { one: left, two: right }, join: meet }
  left: ${post('left', 'meet')}
  right: ${post('right', 'meet')}
  meet: { type: join, need: all, onSuccess: last }
  last: ${post('last', 'finish')}
  finish: { type: done }
`;
}

describe('a journal that ends in the middle of what was written at once, and whose device is gone', () => {
  let receiver: Receiver;
  beforeEach(async () => (receiver = await Receiver.start()));
  afterEach(async () => await receiver.close());

  /** The whole journal of a device that did it all, and the register as it left it. */
  async function done(): Promise<{ journal: readonly Operation[]; runId: RunId; registerFile: string }> {
    const folder = newFolder();
    const registerFile = join(folder, 'register.sqlite');
    const bench = await HostBench.start(folder, registerFile);
    const runId = await bench.run(await bench.agent(everyState(receiver.origin)));
    expect(await bench.ended(runId)).toBe('done');
    await bench.until('the right to act is given back', () => bench.count('lease.released') > 0);
    const journal = bench.rows<OpRow>('SELECT * FROM ops ORDER BY seq').map(operationOf);
    await bench.close();
    return { journal, runId, registerFile };
  }

  /** Another device takes over, with what it was told; `null` if the run ends well. */
  async function takeOver(
    told: readonly Operation[],
    of: { runId: RunId; registerFile: string },
  ): Promise<string | null> {
    const folder = newFolder();
    const registerFile = join(folder, 'register.sqlite');
    copyFileSync(of.registerFile, registerFile);
    const store = openStore(folder);
    must(await store.write((within) => foldOperations(within, told[0]?.deviceId as DeviceId, told)));
    store.close();
    const bench = await HostBench.start(folder, registerFile);
    const ending = await bench.ended(of.runId).catch((cause: unknown) => String(cause));
    // Three items and two ways; what was not told was begun anew.
    const branches = bench.rows(`SELECT 1 FROM runs WHERE parent_run_id = ? AND ending = 'done'`, of.runId).length;
    await bench.close();
    if (ending === 'done' && branches !== 5) return `after entry ${told.length}: ${branches} branches`;
    return ending === 'done' ? null : `after ${told.at(-1)?.kind}, entry ${told.length}: ${ending}`;
  }

  it('lets the run rest for ever on the next one, loses an item, or does a step twice', async () => {
    const { journal, ...of } = await done();
    const first = journal.findIndex(({ kind }) => kind === 'trigger.fired') + 1;
    const lengths = Array.from({ length: journal.length - first + 1 }, (_, index) => first + index);
    const wrong: (string | null)[] = [];
    for (let index = 0; index < lengths.length; index += AT_ONCE)
      wrong.push(
        ...(await Promise.all(
          lengths.slice(index, index + AT_ONCE).map(async (length) => await takeOver(journal.slice(0, length), of)),
        )),
      );
    expect(wrong.filter((each) => each !== null)).toEqual([]);
    expect(wrong.length).toBeGreaterThan(60);
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(
      ['/items/apple', '/items/pear', '/items/plum', '/last', '/left', '/right'].toSorted(),
    );
  }, 120_000);
});
