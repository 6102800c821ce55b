import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type * as FilePromises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { openFolderRelay } from './folder-relay.ts';
import type { FolderRelay } from './folder-relay.ts';

const disk = vi.hoisted(() => ({ fails: null as string | null, roomFor: 0 }));

// The real file system, but a write stops half way where the disk has no room: the one thing that no test can fill up.
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof FilePromises>();
  const open: typeof real.open = async (file, flags, mode) => {
    const handle = await real.open(file, flags, mode);
    const code = disk.fails;
    if (flags !== 'wx' || code === null) return handle;
    disk.roomFor -= 1;
    if (disk.roomFor >= 0) return handle;
    handle.writeFile = async (content) => {
      await handle.write(Buffer.from(content as Buffer).subarray(0, 20));
      throw Object.assign(new Error('no room'), { code });
    };
    return handle;
  };
  return { ...real, open };
});

const ANNA = 'anna' as DeviceId;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-full-'));
});
afterEach(() => {
  disk.fails = null;
  disk.roomFor = 0;
  rmSync(folder, { recursive: true, force: true });
});

function operation(seq: number): SealedOperation {
  return { deviceId: ANNA, seq, wallMs: 1, counter: 0, box: 'sealed'.repeat(50) };
}

async function openRelay(): Promise<FolderRelay> {
  const opened = await openFolderRelay({ folder, spaceId: 'space', deviceId: ANNA, isNew: true, wallMs: () => 1 });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function everyName(): string[] {
  return readdirSync(folder, { recursive: true }).map(String).toSorted();
}

describe('a disk without room', () => {
  it.each(['ENOSPC', 'EDQUOT'])('takes nothing, shows nothing half written, and says so (%s)', async (code) => {
    const relay = await openRelay();
    expect((await relay.push([operation(1)])).ok).toBe(true);
    const before = everyName();
    disk.fails = code;
    const checkpoint = { checkpointId: 'a'.repeat(64), deviceId: ANNA, frontier: { anna: 1 }, partCount: 1 };
    const answers = [
      await relay.push([operation(2)]),
      await relay.acknowledge({ anna: 1 }),
      await relay.putCheckpoint(checkpoint, ['part']),
      await relay.contact(),
    ];
    expect(answers.map((answer) => (answer.ok ? null : answer.error.code))).toEqual(Array(4).fill('relay-full'));
    expect(everyName()).toEqual(before);
    disk.fails = null;
    expect(await relay.push([operation(2)])).toEqual({ ok: true, value: { head: 2 } });
    const state = await relay.contact();
    expect(state.ok && state.value).toMatchObject({ heads: { anna: 2 }, checkpoint: null });
  });

  it('does not turn a push that is there into a failure because there was no room to tidy up', async () => {
    const relay = await openRelay();
    for (let seq = 1; seq <= 7; seq++) expect((await relay.push([operation(seq)])).ok).toBe(true);
    // The eighth file still fits, and the one made of all eight does not.
    disk.fails = 'ENOSPC';
    disk.roomFor = 1;
    expect(await relay.push([operation(8)])).toEqual({ ok: true, value: { head: 8 } });
    expect(relay.findings().map((finding) => finding.code)).toEqual(['relay-full']);
    disk.fails = null;
    expect(await relay.push([operation(9)])).toEqual({ ok: true, value: { head: 9 } });
    expect(relay.findings()).toEqual([]);
    expect(everyName().filter((name) => name.includes('segment-')).length).toBeLessThan(3);
  });
});
