import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResponseOf } from '../../shared/contract/api.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { HostBench } from '../host/testing/host-bench.ts';
import { savedViewHandlers } from './saved-view-handlers.ts';

const newFolder = useTemporaryFolders();
const CALLER = { surface: 'window', name: 'You' } as const;
const PARTS = { search: 'bill', statuses: ['done' as const], agentId: null, deviceId: null, time: null };

describe('saved views of a profile', { timeout: 30_000 }, () => {
  let bench: HostBench;
  let folder: string;
  beforeEach(async () => {
    folder = newFolder();
    bench = await HostBench.start(folder);
  });
  afterEach(() => bench.close());

  async function names(): Promise<string[]> {
    const answer = await savedViewHandlers(bench.host.control)['savedViews.list']({}, CALLER);
    const view = answer.ok ? (answer.value satisfies ResponseOf<'savedViews.list'>) : null;
    return (view?.views ?? []).map((each) => each.name);
  }

  it('are lost when two windows save at the same moment, or at a restart', async () => {
    const handlers = savedViewHandlers(bench.host.control);
    const save = (name: string) => handlers['savedViews.save']({ name, ...PARTS }, CALLER);
    await Promise.all([save('One'), save('Two'), save('Three')]);
    expect(await names()).toEqual(['One', 'Two', 'Three']);
    expect(await save('two')).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
    await bench.close();
    bench = await HostBench.start(folder);
    expect(await names()).toEqual(['One', 'Two', 'Three']);
  });

  it('come back after they were removed elsewhere, or keep the list away because they cannot be read', async () => {
    const handlers = savedViewHandlers(bench.host.control);
    expect(await handlers['savedViews.save']({ viewId: 'gone', name: 'One', ...PARTS }, CALLER)).toMatchObject({
      ok: false,
      error: { code: 'not-found' },
    });
    await handlers['savedViews.save']({ name: 'One', ...PARTS }, CALLER);
    await bench.host.control.writeSetting('saved-views', '{"from another version"');
    expect(await names()).toEqual([]);
    await bench.host.control.writeSetting('saved-views', '[{"viewId":"v"}]');
    expect(await names()).toEqual([]);
  });

  it('of a version that knew no devices and no times are lost, or this one keeps that version from reading its own', async () => {
    const { control } = bench.host;
    const older = { viewId: 'v', name: 'Old', search: '', statuses: ['done'], agentId: 'a' };
    await control.writeSetting('saved-views', JSON.stringify([older]));
    const handlers = savedViewHandlers(control);
    const { time, ...others } = {
      ...PARTS,
      time: { kind: 'between', from: '2026-10-01', until: '2026-10-12' },
    } as const;
    await handlers['savedViews.save']({ name: 'October', ...others, time }, CALLER);
    await handlers['savedViews.save']({ name: 'Plain', ...PARTS }, CALLER);
    expect(await handlers['savedViews.list']({}, CALLER)).toMatchObject({
      value: {
        views: [
          { ...older, deviceId: null, time: null },
          { name: 'October', time },
          { name: 'Plain', time: null },
        ],
      },
    });
    const kept = JSON.parse(control.readSetting('saved-views') ?? '') as object[];
    expect(kept[0]).toEqual(older);
    expect(Object.keys(kept[2] ?? {}).toSorted()).toEqual(['agentId', 'name', 'search', 'statuses', 'viewId']);
  });

  it.each(['{"from another version"', '[{"viewId":"v"}]'])(
    'of another version are written over by what this one saves or removes: %s',
    async (kept) => {
      const { control } = bench.host;
      await control.writeSetting('saved-views', kept);
      const handlers = savedViewHandlers(control);
      const refused = { ok: false, error: { code: 'changed' } };
      expect(await handlers['savedViews.save']({ name: 'One', ...PARTS }, CALLER)).toMatchObject(refused);
      expect(await handlers['savedViews.remove']({ viewId: 'v' }, CALLER)).toMatchObject(refused);
      expect(control.readSetting('saved-views')).toBe(kept);
    },
  );
});
