import { describe, expect, it } from 'vitest';
import { planNotices } from './notice-plan.ts';
import type { NoticeItem } from './notice-plan.ts';

const unclear: NoticeItem = { kind: 'unclear', id: 'token/1', runId: 'run', runNumber: 142, deviceName: 'Work-PC' };
const question: NoticeItem = { ...unclear, kind: 'approve', id: 'question' };
const plan = (of: Partial<Parameters<typeof planNotices>[0]>) =>
  planNotices({ items: [], known: new Set(), isOn: true, focusedPlace: null, ...of });

describe('a notification', () => {
  it('names the device and the run, and nothing that an agent or a target says', () => {
    const said = { ...unclear, title: 'Email to ana@example.org', sentence: 'Pay 1,000', agentName: 'Secret agent' };
    const [notice] = plan({ items: [said] }).show;
    expect(notice).toMatchObject({ title: 'Work-PC · Run 0142', place: '/needs/unclear/token%2F1', group: 'run' });
    expect(JSON.stringify(notice)).not.toMatch(/ana@|1,000|Secret agent/u);
  });

  it('cannot be turned around or stretched by the name of a device', () => {
    const [notice] = plan({ items: [{ ...unclear, deviceName: `\u202E${'x'.repeat(500)}` }] }).show;
    expect(notice?.title).toMatch(/^\[U\+202E\]x+ · Run 0142$/u);
    expect(notice?.title.length).toBeLessThan(80);
  });

  it('comes once for each item, and is taken back when it is answered anywhere', () => {
    const first = plan({ items: [unclear, question] });
    expect(first.show).toHaveLength(2);
    const second = plan({ items: [unclear, question], known: first.known });
    expect(second).toMatchObject({ show: [], withdraw: [] });
    const third = plan({ items: [question], known: second.known });
    expect(third).toMatchObject({ show: [], withdraw: ['unclear token/1'] });
  });

  it('comes again for what was reopened', () => {
    const gone = plan({ items: [], known: plan({ items: [unclear] }).known });
    expect(plan({ items: [unclear], known: gone.known }).show).toHaveLength(1);
  });

  it.each(['/needs', '/needs/unclear/token%2F1'])('does not tell what is looked at, at %s, nor later', (place) => {
    const looked = plan({ items: [unclear], focusedPlace: place });
    expect(looked.show).toEqual([]);
    expect(plan({ items: [unclear], known: looked.known }).show).toEqual([]);
  });

  it.each(['/runs', '/needs/approve/question', null])('tells it beside another screen: %s', (place) => {
    expect(plan({ items: [unclear], focusedPlace: place }).show).toHaveLength(1);
  });

  it('is not shown once it is switched off, and what was shown is taken back', () => {
    const shown = plan({ items: [unclear] });
    const off = plan({ items: [unclear, question], known: shown.known, isOn: false });
    expect(off).toMatchObject({ show: [], withdraw: ['unclear token/1'] });
    expect(plan({ items: [unclear, question], known: off.known }).show).toEqual([]);
  });

  it('does not come as a wall', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...unclear, id: `token-${index}` }));
    const first = plan({ items: many });
    expect(first.show).toHaveLength(5);
    expect(plan({ items: many, known: first.known }).show).toEqual([]);
  });
});
