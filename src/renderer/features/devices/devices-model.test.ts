import { describe, expect, it } from 'vitest';
import type { DevicesView, InvitationView, JoiningView } from '../../../shared/contract/coordinator-views.ts';
import { inviteStep, isPairingUnderWay, nextStep, pairingNote, qrDrawing, shortName } from './devices-model.ts';

const NOW = 1_000_000;
const invitation = (change: Partial<InvitationView>): InvitationView => ({
  invitationId: 'i',
  link: 'fencepost://pair',
  qr: [],
  expiresAtMs: NOW + 1,
  state: 'open',
  deviceName: '',
  words: [],
  sentence: '',
  ...change,
});
const joining = (state: JoiningView['state']): JoiningView => ({
  hubName: 'Attic',
  state,
  words: [],
  sentence: '',
  wayOut: '',
});
const view = (change: Partial<DevicesView>): DevicesView => ({
  sequence: 1,
  kind: 'hub-here',
  sentence: '',
  devices: [],
  invitation: null,
  joining: null,
  ...change,
});

describe('drawing a QR code', () => {
  it('loses a square, moves one, or leaves no quiet border', () => {
    expect(qrDrawing(['110', '000', '101'])).toEqual({ size: 11, path: 'M4 4h2v1h-2zM4 6h1v1h-1zM6 6h1v1h-1z' });
  });

  it('draws something that is no code', () => {
    for (const rows of [[], ['10'], ['1', '1'], ['1x', '01'], Array.from({ length: 178 }, () => '1'.repeat(178))]) {
      expect(qrDrawing(rows)).toBeNull();
    }
  });
});

describe('the name of another device', () => {
  it('makes a button unreadable, or hides something in it', () => {
    expect(shortName('Work-PC')).toBe('Work-PC');
    expect(shortName('Mac\u202Egnp')).toBe('Mac[U+202E]gnp');
    expect(shortName('x'.repeat(60))).toHaveLength(28);
  });
});

describe('a pairing behind a closed dialog', () => {
  it('is forgotten although a link is open or a device waits', () => {
    expect(pairingNote(view({ invitation: invitation({}) }), NOW)).toEqual({ kind: 'open' });
    const asks = invitation({ state: 'asks', deviceName: 'Work-PC', expiresAtMs: NOW - 1 });
    expect(pairingNote(view({ invitation: asks }), NOW)).toEqual({ kind: 'asks', deviceName: 'Work-PC' });
    for (const state of ['connects', 'compares'] as const) {
      expect(pairingNote(view({ joining: joining(state) }), NOW)).toEqual({ kind: 'joining', hubName: 'Attic' });
    }
  });

  it('is still told of when it is over', () => {
    expect(pairingNote(view({ invitation: invitation({ expiresAtMs: NOW }) }), NOW)).toBeNull();
    for (const state of ['allowed', 'refused', 'expired'] as const) {
      expect(pairingNote(view({ invitation: invitation({ state }) }), NOW)).toBeNull();
    }
    expect(pairingNote(view({ joining: joining('paired') }), NOW)).toBeNull();
  });

  it('ends without a word where it came to nothing', () => {
    for (const state of ['refused', 'failed'] as const) {
      expect(pairingNote(view({ joining: joining(state) }), NOW)).toEqual({ kind: 'ended', joining: joining(state) });
      // Nobody waits for it any more, so it is not looked at every second.
      expect(isPairingUnderWay(view({ joining: joining(state) }), NOW)).toBe(false);
    }
  });

  it('offers a link that has run out', () => {
    expect(inviteStep(invitation({}), NOW)).toBe('open');
    expect(inviteStep(invitation({}), NOW + 1)).toBe('expired');
    expect(inviteStep(invitation({ state: 'asks' }), NOW + 1)).toBe('asks');
    expect(inviteStep(null, NOW)).toBe('making');
  });
});

describe('what is left after pairing', () => {
  it('lets people believe that paired devices share the right to act when they do not', () => {
    expect(nextStep('hub-here', 'embedded')).toBe('this-hub');
    expect(nextStep('hub', 'embedded')).toBe('hub');
  });

  it('asks for what has been done, or cannot be', () => {
    expect(nextStep('hub-here', 'this-hub')).toBeNull();
    expect(nextStep('hub', 'hub')).toBeNull();
    expect(nextStep('none', 'embedded')).toBeNull();
    expect(nextStep('hub', null)).toBeNull();
  });
});
