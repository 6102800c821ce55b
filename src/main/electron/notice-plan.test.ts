import { describe, expect, it } from 'vitest';
import type { NoticeFacts, NoticeItem, NoticeMemory } from '../views/notices.ts';
import { planNotices } from './notice-plan.ts';

const unclear: NoticeItem = { kind: 'unclear', id: 'token/1', runId: 'run', runNumber: 142, deviceName: 'Work-PC' };
const question: NoticeItem = { ...unclear, kind: 'approve', id: 'question' };
const failed: NoticeItem = { ...unclear, kind: 'failed', id: 'run', seq: 11 };
const HUB = { deviceName: 'iPad', id: 'ipad', shares: 'right-to-act', circleId: 'hub 1' } as const;
const paired: NoticeItem = { kind: 'paired', ...HUB };
const removed: NoticeItem = { kind: 'removed', ...HUB };
const sharing: NoticeItem = { ...paired, shares: 'record', circleId: 'record 1' };
const MEMORY: NoticeMemory = { upToSeq: 10, known: [], circles: ['hub 1', 'record 1'] };

interface Given extends Partial<Omit<Parameters<typeof planNotices>[0], 'facts'>>, Partial<NoticeFacts> {}

const plan = ({ items = [], circles = ['hub 1', 'record 1'], sequence = 10, memory = MEMORY, ...of }: Given) =>
  planNotices({ facts: { items, circles, sequence, memory }, shown: [], isOn: true, focusedPlace: null, ...of });
const keysOf = (shown: ReturnType<typeof plan>) => shown.show.map(({ key }) => key);
/** What is remembered after it, as it is the next time. */
const after = (shown: ReturnType<typeof plan>, before: NoticeMemory = MEMORY) => shown.remember ?? before;

describe('which events notify', () => {
  it.each<[string, NoticeItem, Partial<NoticeMemory> | null, boolean]>([
    ['an unclear step', unclear, {}, true],
    ['an unclear step, at the very first start', unclear, null, true],
    ['a question', question, {}, true],
    ['a question that was told before a restart', question, { known: ['approve question'] }, false],
    ['a failure that was sent', failed, {}, true],
    ['a failure from before the first start', failed, null, false],
    ['a failure whose day comes again on a clock that was set back', failed, { upToSeq: 11 }, false],
    ['a failure that a second device wrote down as well', failed, { known: ['failed run'] }, false],
    ['a device that was paired with the hub', paired, {}, true],
    ['a device that shares the record', sharing, {}, true],
    ['a device that was removed', removed, { known: ['paired hub 1 ipad'] }, true],
    ['a device that is paired once more', paired, { known: ['removed hub 1 ipad'] }, true],
    ['a device that was told before a restart', paired, { known: ['paired hub 1 ipad'] }, false],
    ['the devices that this one found when it was paired itself', paired, { circles: ['record 1'] }, false],
    ['devices at the very first start', paired, null, false],
  ])('%s', (_name, item, memory, isTold) => {
    const shown = plan({ items: [item], memory: memory === null ? null : { ...MEMORY, ...memory } });
    expect(shown.show).toHaveLength(isTold ? 1 : 0);
    // Whether it was told or not, it had its chance.
    expect(plan({ items: [item], memory: after(shown, { ...MEMORY, ...memory }) }).show).toEqual([]);
  });
});

describe('a notification', () => {
  it('names the device and the run, and nothing that an agent or a target says', () => {
    const said = { ...unclear, title: 'Email to ana@example.org', sentence: 'Pay 1,000', agentName: 'Secret agent' };
    const [notice] = plan({ items: [said] }).show;
    expect(notice).toMatchObject({ title: 'Work-PC · Run 0142', place: '/needs/unclear/token%2F1', group: 'run' });
    expect(JSON.stringify(notice)).not.toMatch(/ana@|1,000|Secret agent/u);
    expect(plan({ items: [failed] }).show).toMatchObject([{ title: 'Work-PC · Run 0142', place: '/runs/run' }]);
    expect(plan({ items: [removed] }).show).toMatchObject([{ title: 'iPad · Removed', place: '/devices' }]);
  });

  it('cannot be turned around or stretched by the name of a device', () => {
    const [notice] = plan({ items: [{ ...unclear, deviceName: `\u202E${'x'.repeat(500)}` }] }).show;
    expect(notice?.title).toMatch(/^\[U\+202E\]x+ · Run 0142$/u);
    expect(notice?.title.length).toBeLessThan(80);
  });

  it('comes once for each item, and is taken back when it is no longer so, here or elsewhere', () => {
    const first = plan({ items: [unclear, question, failed, paired] });
    expect(first.show).toHaveLength(4);
    const shown = keysOf(first);
    const second = plan({ items: [unclear, question, failed, paired], shown, memory: after(first) });
    expect(second).toEqual({ show: [], withdraw: [], remember: null });
    const third = plan({ items: [question, removed], shown, memory: after(first) });
    expect(third.withdraw).toEqual(['unclear token/1', 'failed run', 'paired hub 1 ipad']);
    expect(keysOf(third)).toEqual(['removed hub 1 ipad']);
  });

  it('comes again for what was reopened', () => {
    const gone = plan({ items: [], memory: after(plan({ items: [unclear] })) });
    expect(plan({ items: [unclear], memory: after(gone) }).show).toHaveLength(1);
  });

  it('comes again for a device whose list could not be read for a while', () => {
    const told = after(plan({ items: [paired] }));
    const unread = plan({ items: [], circles: [], memory: told });
    expect(plan({ items: [paired], memory: after(unread, told) }).show).toEqual([]);
  });

  it.each<[string, NoticeItem]>([
    ['/needs', unclear],
    ['/needs/unclear/token%2F1', unclear],
    ['/runs/run', failed],
    ['/runs/run/timeline/7', failed],
    ['/devices', paired],
  ])('does not tell what is looked at, at %s, nor later', (focusedPlace, item) => {
    const looked = plan({ items: [item], focusedPlace });
    expect(looked.show).toEqual([]);
    expect(plan({ items: [item], memory: after(looked) }).show).toEqual([]);
  });

  it.each<[string | null, NoticeItem]>([
    ['/runs', unclear],
    ['/needs/approve/question', unclear],
    [null, unclear],
    ['/runs', failed],
    ['/runs/running', failed],
    ['/settings', paired],
  ])('tells it beside another screen: %s', (focusedPlace, item) => {
    expect(plan({ items: [item], focusedPlace }).show).toHaveLength(1);
  });

  it('goes once a failure or a device was seen, and stays for what still needs a person', () => {
    const all = [unclear, failed, paired];
    const told = plan({ items: all });
    const seen = (focusedPlace: string) =>
      plan({ items: all, shown: keysOf(told), memory: after(told), focusedPlace }).withdraw;
    expect(seen('/runs/run')).toEqual(['failed run']);
    expect(seen('/devices')).toEqual(['paired hub 1 ipad']);
    expect(seen('/needs')).toEqual([]);
  });

  it('is not shown once it is switched off, and what was shown is taken back', () => {
    const told = plan({ items: [unclear] });
    const off = plan({ items: [unclear, failed], shown: keysOf(told), memory: after(told), isOn: false });
    expect(off).toMatchObject({ show: [], withdraw: ['unclear token/1'] });
    expect(plan({ items: [unclear, failed], memory: after(off) }).show).toEqual([]);
  });

  it('does not come as a wall', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...unclear, id: `token-${index}` }));
    const first = plan({ items: many });
    expect(first.show).toHaveLength(5);
    expect(plan({ items: many, memory: after(first) }).show).toEqual([]);
  });
});
