import type { DevicesView, InvitationView, JoiningView } from '../../../shared/contract/coordinator-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';

/** Empty squares around a QR code, without which readers do not find it. */
const QUIET = 4;
/** A QR code has at most 177 squares to a side. */
const LARGEST = 177;
/** A button stays readable with a name of this many characters. */
const BUTTON_NAME = 28;

/** A QR code as one path of an SVG, in squares; `null` if the rows are none. */
export function qrDrawing(rows: readonly string[]): { readonly size: number; readonly path: string } | null {
  const count = rows.length;
  if (count === 0 || count > LARGEST || rows.some((row) => row.length !== count || /[^01]/u.test(row))) return null;
  const path = rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/gu)].map(
        (run) => `M${QUIET + run.index} ${QUIET + y}h${run[0].length}v1h-${run[0].length}z`,
      ),
    )
    .join('');
  return { size: count + 2 * QUIET, path };
}

/** A name for a button: nothing hidden in it, and not longer than the button. */
export function shortName(name: string): string {
  const visible = visibleText(name);
  return visible.length <= BUTTON_NAME ? visible : `${visible.slice(0, BUTTON_NAME - 1).trimEnd()}…`;
}

/** What the page says about a pairing behind a closed dialog. */
export type PairingNote =
  | { readonly kind: 'open' }
  | { readonly kind: 'asks'; readonly deviceName: string }
  | { readonly kind: 'joining'; readonly hubName: string }
  | { readonly kind: 'ended'; readonly joining: JoiningView };

/** The pairing that goes on, or one from this side that came to nothing and was not looked at yet. */
export function pairingNote(view: DevicesView, nowMs: number): PairingNote | null {
  const { invitation, joining } = view;
  if (invitation?.state === 'asks') return { kind: 'asks', deviceName: invitation.deviceName };
  if (invitation?.state === 'open' && invitation.expiresAtMs > nowMs) return { kind: 'open' };
  if (joining !== null && isJoining(joining)) return { kind: 'joining', hubName: joining.hubName };
  if (joining !== null && hasFailed(joining)) return { kind: 'ended', joining };
  return null;
}

/** Whether somebody waits for the other side of a pairing. */
export function isPairingUnderWay(view: DevicesView, nowMs: number): boolean {
  const note = pairingNote(view, nowMs);
  return note !== null && note.kind !== 'ended';
}

/** What the dialog at the hub shows. A link whose time is over is no link, whatever the last answer said. */
export type InviteStep = 'making' | 'open' | 'asks' | 'allowed' | 'refused' | 'expired';

/** Which step an invitation is at; `null` is one that has not been made or is gone. */
export function inviteStep(invitation: InvitationView | null, nowMs: number): InviteStep {
  if (invitation === null) return 'making';
  return invitation.state === 'open' && invitation.expiresAtMs <= nowMs ? 'expired' : invitation.state;
}

/** Whether pairing from this side has begun and not ended. */
export function isJoining(joining: JoiningView): boolean {
  return joining.state === 'connects' || joining.state === 'compares';
}

/** Whether pairing from this side has ended without this device being paired. */
export function hasFailed(joining: JoiningView): boolean {
  return joining.state === 'refused' || joining.state === 'failed';
}

/** What is left to do before paired devices share the right to act. */
export type NextStep = 'this-hub' | 'hub' | null;

/** Pairing alone shares nothing: the right to act has to be kept in the hub as well. */
export function nextStep(kind: DevicesView['kind'], choiceKind: string | null): NextStep {
  if (choiceKind === null) return null;
  if (kind === 'hub-here' && choiceKind !== 'this-hub') return 'this-hub';
  if (kind === 'hub' && choiceKind !== 'hub') return 'hub';
  return null;
}
