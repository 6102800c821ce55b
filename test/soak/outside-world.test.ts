import { afterEach, beforeEach, expect, test } from 'vitest';
import { Random } from '../harness/random.ts';
import { OutsideWorld } from './outside-world.ts';

const TIMES = 30;

// What is never seen to count a double proves nothing by counting none.
let world: OutsideWorld;
beforeEach(async () => {
  world = await OutsideWorld.start(new Random(1, 'world'));
});
afterEach(() => world.close());

async function send(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const posts = Array.from({ length: TIMES }, () =>
    fetch(`${world.origin}${path}`, { method: 'POST', headers }).catch(() => null),
  );
  await Promise.all(posts);
}

test('an effect without a key is doubled when it arrives more often than it was allowed', async () => {
  await send('/blind-1/o/first', {});
  const { done } = world.look('/blind-1/o/first');
  expect(done).toBeGreaterThan(TIMES / 2);
  expect(world.doubled).toHaveLength(done - 1);
});

test('each approval allows one more, and the same approval twice does not', async () => {
  for (let attempt = 1; attempt <= TIMES; attempt += 1) world.approve('/blind-1/o/first', `attempt-${attempt}`);
  await send('/blind-1/o/first', {});
  expect(world.doubled).toEqual([]);
  for (let time = 1; time <= TIMES; time += 1) world.approve('/blind-1/o/second', 'attempt-1');
  await send('/blind-1/o/second', {});
  expect(world.look('/blind-1/o/second').approvals).toBe(1);
  expect(world.doubled.length).toBeGreaterThan(0);
});

test('under one key it is one effect, and under two keys two', async () => {
  await send('/keyed-1/o/first', { 'idempotency-key': 'one' });
  expect(world.look('/keyed-1/o/first').done).toBe(1);
  expect(world.doubled).toEqual([]);
  await send('/keyed-1/o/first', { 'idempotency-key': 'two' });
  expect(world.doubled).toEqual([{ path: '/keyed-1/o/first', done: 2, approvals: 0 }]);
});
