import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { readAll, sha256 } from './connection.ts';
import { ReadMemory } from './read-memory.ts';
import { connectionOf, openStore } from './testing/store-bench.ts';
import type { Store } from './store.ts';
import { useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();

class Reader {
  looks = 0;
  readonly #memory = new ReadMemory();

  names(store: Store): string[] {
    return this.#memory.recall(connectionOf(store), 'names', (db) => {
      this.looks += 1;
      return readAll<{ name: string }>(db, 'SELECT name FROM agents ORDER BY name').map((row) => row.name);
    });
  }
}

function save(store: Store, name: string, fails = false): Promise<unknown> {
  const source = `name: ${name}`;
  return store.write(({ journal }) => {
    const agentId = name as AgentId;
    journal.append('agent.saved', { agentId, revisionDigest: sha256(source), name, description: '', source });
    if (fails) throw new Error('It is taken back.');
  });
}

describe('what is kept of a look at the record', () => {
  it('is believed after something was written, or is asked for again although nothing was', async () => {
    const store = openStore(newFolder());
    const reader = new Reader();
    expect([reader.names(store), reader.names(store), reader.looks]).toEqual([[], [], 1]);
    await save(store, 'one');
    expect([reader.names(store), reader.names(store), reader.looks]).toEqual([['one'], ['one'], 2]);
    store.close();
  });

  it('holds what was taken back, or lasts although the next entry has the number of that', async () => {
    const store = openStore(newFolder());
    const reader = new Reader();
    reader.names(store);
    await save(store, 'one', true);
    expect(reader.names(store)).toEqual([]);
    await save(store, 'two');
    expect(reader.names(store)).toEqual(['two']);
    store.close();
  });

  it('outlasts the connection that it was read from', () => {
    const folder = newFolder();
    const reader = new Reader();
    for (let opening = 1; opening <= 2; opening += 1) {
      const store = openStore(folder);
      reader.names(store);
      store.close();
    }
    expect(reader.looks).toBe(2);
  });

  it('answers one question with what was found for another', () => {
    const store = openStore(newFolder());
    const memory = new ReadMemory();
    const connection = connectionOf(store);
    expect([memory.recall(connection, 'a', () => 1), memory.recall(connection, 'b', () => 2)]).toEqual([1, 2]);
    store.close();
  });
});
