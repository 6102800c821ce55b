import type { RecordedEvent } from '../../shared/contract/events.ts';
import type { StaleReason } from '../../shared/core/gate/approval.ts';
import type { GrantDevices, GrantStanding } from '../../shared/core/gate/grant.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { exactTimeText, opening } from './words.ts';

type ControlEvent = Extract<
  RecordedEvent,
  { kind: 'agent.stop-requested' | 'agent.pause-requested' | 'agent.resumed' | 'approval.stale' }
>;

/** What a person asked of a whole agent or of everything, and why somebody is asked again. */
export function controlSentence(event: ControlEvent): { readonly word: string; readonly sentence: string } {
  switch (event.kind) {
    case 'agent.stop-requested':
      return {
        word: 'run',
        sentence: `${opening(event.payload.by)} stopped the agent and took its permission back. Nothing further is sent.`,
      };
    case 'agent.pause-requested':
      return { word: 'run', sentence: `${opening(event.payload.by)} paused ${whatText(event.payload.agentId)}` };
    case 'agent.resumed':
      return { word: 'run', sentence: `${opening(event.payload.by)} resumed ${whatText(event.payload.agentId)}` };
    case 'approval.stale':
      return { word: 'approval', sentence: `You are asked again: ${STALE[event.payload.reason]}. Nothing was sent.` };
    default:
      return assertNever(event);
  }
}

function whatText(agentId: string | null): string {
  return agentId === null ? 'everything' : 'the agent';
}

const STALE: Readonly<Record<StaleReason, string>> = {
  'input-changed': 'what would be sent is not what you had allowed',
  'already-used': 'your yes had been used once already',
  'standing-ended': 'your standing permission had ended',
  'device-changed': 'another device would act now',
  'epoch-changed': 'the device had lost the right to act and got it back since',
  overtaken: 'another device had asked the same question and got no yes',
};

/** Why a yes does not count any more, as the end of a sentence. */
export function staleText(reason: StaleReason): string {
  return STALE[reason];
}

/** Where a permission holds. */
export function devicesText(source: Pick<ViewSource, 'device' | 'peerName'>, devices: GrantDevices): string {
  if (devices === '*') return 'on any of your devices';
  const names = devices.map((deviceId) => deviceNameOf(source, deviceId));
  return `only on ${new Intl.ListFormat('en').format(new Set(names))}`;
}

/** What is the matter with a permission, in one sentence. */
export function permissionText(standing: Exclude<GrantStanding, { kind: 'in-force' }>): string {
  switch (standing.kind) {
    case 'none':
      return 'You have given no permission.';
    case 'revoked':
      return 'Your permission was taken back.';
    case 'other-revision':
      return 'Your permission is for another version of the agent.';
    case 'other-device':
      return 'Your permission does not hold on this device.';
    case 'expired':
      return `Your permission ended on ${exactTimeText(standing.expiresAtMs)}.`;
    default:
      return assertNever(standing);
  }
}
