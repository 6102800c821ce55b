import QRCode from 'qrcode';
import type { InvitationView, JoiningView } from '../../../shared/contract/coordinator-views.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import type { Hub } from '../../hub/start-hub.ts';
import { pairWithHub } from '../hub/pair-with-hub.ts';
import type { CoordinatorMemory } from './kept-choice.ts';

interface PairingOptions {
  readonly hub: () => Hub | null;
  readonly deviceId: string;
  readonly deviceName: () => string;
  readonly keys: SecretStore;
  readonly memory: CoordinatorMemory;
  /** Wall time, ms. */
  readonly wallMs: () => number;
  /** There is something new to show. */
  readonly changed: () => void;
}

const NEWER_LINK = problem(
  'changed',
  'There is a newer link than the one that these words belong to.',
  'Nobody was let in. Compare the words that are shown now.',
);
const NO_HUB = problem('not-offered', 'This device runs no hub.', 'Start the hub of this device first.');

/** Both sides of pairing, as the windows of the two devices show them. */
export class DevicePairing {
  readonly #of: PairingOptions;
  #invitation: InvitationView | null = null;
  #joining: JoiningView | null = null;
  #stop = new AbortController();

  constructor(of: PairingOptions) {
    this.#of = of;
  }

  /** The invitation that this device made last, as it stands now. */
  invitation(): InvitationView | null {
    const open = this.#invitation;
    if (open === null || (open.state !== 'open' && open.state !== 'asks')) return open;
    const asking = this.#of.hub()?.pairing.pending();
    const leftBy = this.#of.hub()?.pairing.leftBy(open.invitationId) ?? null;
    const asks = asking?.find((one) => one.invitationId === open.invitationId);
    if (asks !== undefined) {
      const sentence = `${asks.name} asks to be let in. Both screens show these words.`;
      this.#invitation = { ...open, state: 'asks', deviceName: asks.name, words: asks.words, sentence };
    } else if (leftBy !== null) {
      const sentence = `${leftBy} stopped pairing. Nobody was let in.`;
      this.#invitation = { ...open, state: 'refused', deviceName: leftBy, sentence };
    } else if (this.#of.wallMs() >= open.expiresAtMs || open.state === 'asks') {
      this.#invitation = { ...open, state: 'expired', sentence: 'The two minutes are over. Nobody was let in.' };
    }
    return this.#invitation;
  }

  joining(): JoiningView | null {
    return this.#joining;
  }

  invite(): Result<null, Problem> {
    const hub = this.#of.hub();
    if (hub === null) return err(NO_HUB);
    this.cancelInvite();
    const { invitationId, link, expiresInMs } = hub.pairing.invite();
    this.#invitation = {
      invitationId,
      link,
      qr: qrRows(link),
      expiresAtMs: this.#of.wallMs() + expiresInMs,
      state: 'open',
      deviceName: '',
      words: [],
      sentence: 'Open this link on the other device within two minutes. It works once.',
    };
    return ok(null);
  }

  cancelInvite(): void {
    if (this.#invitation !== null) this.#of.hub()?.pairing.refuse(this.#invitation.invitationId);
    this.#invitation = null;
  }

  /** What a person says after comparing the words. */
  async answer(invitationId: string, isAllowed: boolean): Promise<Result<null, Problem>> {
    const hub = this.#of.hub();
    const open = this.invitation();
    if (hub === null) return err(NO_HUB);
    if (open === null || open.invitationId !== invitationId) return err(NEWER_LINK);
    if (!isAllowed) {
      hub.pairing.refuse(invitationId);
      this.#invitation = { ...open, state: 'refused', sentence: `${open.deviceName} was not let in.` };
      return ok(null);
    }
    const approved = await hub.pairing.approve(invitationId);
    if (approved.ok) this.#invitation = { ...open, state: 'allowed', sentence: `${open.deviceName} is paired.` };
    return approved;
  }

  /** Asks the hub of a link to let this device in. What it comes to is shown by `joining`. */
  join(link: string): void {
    this.cancelJoin();
    const stop = new AbortController();
    this.#stop = stop;
    this.#joining = {
      hubName: '',
      state: 'connects',
      words: [],
      sentence: 'Looking for the hub of the link.',
      wayOut: '',
    };
    void this.#join(link, stop);
  }

  async #join(link: string, stop: AbortController): Promise<void> {
    const { deviceId, deviceName, keys, memory } = this.#of;
    const paired = await pairWithHub({
      link,
      deviceId,
      name: deviceName(),
      secrets: keys,
      signal: stop.signal,
      onWords: (words) => {
        const sentence = 'Compare these words with the screen of the hub, and allow it there if they are the same.';
        this.#show(stop, { hubName: 'the hub', state: 'compares', words, sentence, wayOut: '' });
      },
    });
    const kept = paired.ok ? await memory.paired.write(paired.value) : paired;
    if (paired.ok && kept.ok) {
      const { name } = paired.value;
      const sentence = `This device is paired with ${name}. Nothing is moved there until you say so.`;
      this.#show(stop, { hubName: name, state: 'paired', words: [], sentence, wayOut: '' });
      return;
    }
    const { code, message, wayOut } = kept.ok ? NO_HUB : kept.error;
    const state = code === 'pairing-refused' ? 'refused' : 'failed';
    this.#show(stop, { hubName: '', state, words: [], sentence: message, wayOut });
  }

  #show(stop: AbortController, joining: JoiningView): void {
    if (this.#stop !== stop) return;
    this.#joining = joining;
    this.#of.changed();
  }

  cancelJoin(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#joining = null;
  }
}

/** The squares of a code, row by row. */
function qrRows(text: string): string[] {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'L' });
  return Array.from({ length: modules.size }, (_row, row) =>
    Array.from({ length: modules.size }, (_column, column) => (modules.get(row, column) === 0 ? '0' : '1')).join(''),
  );
}
