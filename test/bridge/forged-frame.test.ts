import { describe, expect, it } from 'vitest';
import { isTrustedSender } from '../../src/main/electron/electron-validate-sender.ts';
import type { SenderEvent, SenderFrame } from '../../src/main/electron/electron-validate-sender.ts';

const OURS = 7;
const isOurWindow = (id: number) => id === OURS;
const top: SenderFrame = { parent: null, origin: 'app://fencepost' };
const good: SenderEvent = { senderFrame: top, sender: { id: OURS, mainFrame: top } };

describe('who may talk to the host', () => {
  it('is the top frame of our window while it shows our files', () => {
    expect(isTrustedSender(good, isOurWindow)).toBe(true);
  });

  const frame = (changed: Partial<SenderFrame>): SenderEvent => {
    const senderFrame = { ...top, ...changed };
    return { senderFrame, sender: { id: OURS, mainFrame: senderFrame } };
  };
  const disposed: SenderFrame = {
    parent: null,
    get origin(): string {
      throw new Error('Render frame was disposed before WebFrameMain could be accessed');
    },
  };
  it.each<[string, SenderEvent]>([
    ['a frame that has gone', { ...good, senderFrame: null }],
    ['a frame that throws when it is read', { senderFrame: disposed, sender: { id: OURS, mainFrame: disposed } }],
    ['a frame inside of our page', { senderFrame: { parent: top, origin: 'app://fencepost' }, sender: good.sender }],
    ['a top frame that is not this window’s', { senderFrame: { ...top }, sender: good.sender }],
    ['a window that we did not make', { senderFrame: top, sender: { id: OURS + 1, mainFrame: top } }],
    ['another site', frame({ origin: 'https://fencepost' })],
    ['our scheme with another host', frame({ origin: 'app://fencepost.evil' })],
    ['our origin as a prefix', frame({ origin: 'app://fencepost@evil' })],
    ['our origin with a port', frame({ origin: 'app://fencepost:80' })],
    ['another case', frame({ origin: 'APP://fencepost' })],
    ['a trailing slash', frame({ origin: 'app://fencepost/' })],
    ['a file', frame({ origin: 'file://' })],
    ['an opaque origin, as a sandboxed frame has', frame({ origin: 'null' })],
    ['no origin', frame({ origin: '' })],
  ])('is not %s', (_name, event) => {
    expect(isTrustedSender(event, isOurWindow)).toBe(false);
  });
});
