import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../store/store.ts';
import { openStore } from '../../store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { EMBEDDED, isRegisterShared, writeChoice } from './kept-choice.ts';

const newFolder = useTemporaryFolders();
const ELSEWHERE = {
  choice: { kind: 'hub' } as const,
  name: 'Attic',
  identity: { coordinatorId: 'hub', incarnation: 'first' },
};

let store: Store;
beforeEach(() => {
  store = openStore(newFolder());
});
afterEach(() => store.close());

it('a profile that has come back to its own register is taken for one that others never wrote about', async () => {
  expect(isRegisterShared(store)).toBe(false);
  must(await writeChoice(store, EMBEDDED));
  expect(isRegisterShared(store)).toBe(false);
  must(await writeChoice(store, ELSEWHERE));
  expect(isRegisterShared(store)).toBe(true);
  must(await writeChoice(store, EMBEDDED));
  expect(isRegisterShared(store)).toBe(true);
});
