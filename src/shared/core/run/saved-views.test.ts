import { describe, expect, it } from 'vitest';
import { SAVED_VIEWS_MAX } from '../../contract/saved-view-terms.ts';
import type { SavedView } from '../../contract/saved-views.ts';
import { deviceIdSchema } from '../../contract/identifiers.ts';
import { keptView, withView } from './saved-views.ts';

const view = (viewId: string, name: string): SavedView => ({
  viewId,
  name,
  search: '',
  statuses: [],
  agentId: null,
  deviceId: null,
  time: null,
});
const two = [view('a', 'Bills'), view('b', 'Letters')] as const;

describe('saved views', () => {
  it('move, lose or double one that is renamed', () => {
    expect(withView(two, view('a', 'Invoices'))).toEqual({ ok: true, value: [view('a', 'Invoices'), two[1]] });
    expect(withView(two, view('a', 'BILLS'))).toMatchObject({ ok: true });
    expect(withView(two, view('c', 'New'))).toEqual({ ok: true, value: [...two, view('c', 'New')] });
  });

  it('cannot be read by a version that knows no devices and no times, although they use none', () => {
    expect(keptView(two[0])).toEqual({ viewId: 'a', name: 'Bills', search: '', statuses: [], agentId: null });
    const used = { deviceId: deviceIdSchema.parse('laptop'), time: { kind: 'today' } } as const;
    expect(keptView({ ...two[0], ...used })).toEqual({ ...keptView(two[0]), ...used });
  });

  it('have two of one name, or grow without an end', () => {
    expect(withView(two, view('c', 'bills'))).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
    expect(withView(two, view('b', 'Bills'))).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
    const full = Array.from({ length: SAVED_VIEWS_MAX }, (_, index) => view(`${index}`, `View ${index}`));
    expect(withView(full, view('more', 'One more'))).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
    expect(withView(full, view('0', 'Renamed'))).toMatchObject({ ok: true });
  });
});
