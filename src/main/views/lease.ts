import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { LeaseHolder, LeaseView } from '../../shared/contract/lease-views.ts';
import type { LeaseStanding } from '../../shared/core/lease/held-lease.ts';
import { HOLD_OFF_MS, LEASE_TTL_MS } from '../../shared/core/lease/lease.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import type { LeaseStatus } from '../host/control.ts';
import { readOne } from '../store/connection.ts';
import { findAgent } from '../store/rows.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { durationText } from './words.ts';

type Standing = Pick<LeaseView, 'state' | 'sentence' | 'holder' | 'isHere'>;

const NOBODY: LeaseHolder = { kind: 'nobody' };
/** The register cannot be asked, or its answer is not to be believed: it may well be somebody's. */
const UNKNOWN: LeaseHolder = { kind: 'unknown' };

/** Who has the right to act for an agent, in one sentence with its numbers. */
export function leaseView(source: ViewSource, agentId: AgentId): LeaseView {
  const { db } = source.connection;
  const status = source.leaseStatus(agentId);
  const tail = status.view?.tail ?? [];
  const lease = status.view?.lease ?? null;
  const seen = readOne<{ epoch: number }>(db, 'SELECT epoch FROM high_water WHERE agent_id = ?', agentId)?.epoch ?? 0;
  return {
    agentId,
    agentName: findAgent(db, agentId)?.name ?? agentId,
    ...standingOf(source, status),
    epoch: status.held?.epoch ?? status.view?.epoch ?? seen,
    remainingMs: status.held?.remainingMs ?? (lease === null ? 0 : (status.view?.remainingMs ?? 0)),
    ttlMs: status.held?.ttlMs ?? lease?.ttlMs ?? LEASE_TTL_MS,
    renewedAtMs: status.held?.renewedAtMs ?? null,
    openEntries: tail.filter((entry) => entry.status === 'open').length,
    settledEntries: tail.filter((entry) => entry.status !== 'open').length,
    takeover: status.view?.takeover === 'by-person' ? 'by-person' : 'automatic',
    canBump: status.state === 'went-back',
    holdOffMs: status.held?.standing.kind === 'hold-off' ? status.held.standing.remainingMs : 0,
    ...takingOver(source, status),
  };
}

/** Whether this device can take it over now, and what that means for whoever has it. */
function takingOver(source: ViewSource, status: LeaseStatus): Pick<LeaseView, 'canTakeOver' | 'takeOverSentence'> {
  const { view } = status;
  const { lease } = view ?? { lease: null };
  if (status.state !== 'ready' || status.held !== null || view?.movedTo !== undefined || lease === null) {
    return { canTakeOver: false, takeOverSentence: '' };
  }
  const { name } = source.device;
  const waits = `${name} waits ${durationText(HOLD_OFF_MS)} before it acts.`;
  const holder = deviceNameOf(source, lease.holder);
  if ((view?.remainingMs ?? 0) <= 0) {
    return { canTakeOver: true, takeOverSentence: `The right of ${holder} has run out. ${waits}` };
  }
  return {
    canTakeOver: true,
    takeOverSentence: `${holder} has the right to act now and would lose it at once. ${waits}`,
  };
}

function standingOf(source: ViewSource, status: LeaseStatus): Standing {
  const { name } = source.device;
  if (status.state === 'went-back') {
    const sentence = `The register answered with an older state than ${name} has seen. Nothing is sent until you have looked.`;
    return { state: 'went-back', holder: UNKNOWN, isHere: false, sentence };
  }
  const { movedTo } = status.view ?? {};
  if (status.state === 'elsewhere' || (movedTo !== undefined && status.held === null)) {
    const where = movedTo === undefined ? 'another register' : movedTo.name;
    const sentence = `It is kept by ${where} now, which ${name} does not use. Nothing is sent from here. Choose it under “Settings”.`;
    return { state: 'moved', holder: UNKNOWN, isHere: false, sentence };
  }
  if (status.state === 'unreachable') {
    const sentence = 'What keeps the right to act can’t be reached. Nothing new is sent until it answers.';
    return {
      state: 'unreachable',
      holder: status.held === null ? UNKNOWN : deviceHolder(source, source.device.deviceId),
      isHere: status.held !== null,
      sentence,
    };
  }
  if (status.held !== null) return heldHere(source, status.held.standing);
  const lease = status.view?.lease ?? null;
  if (lease === null)
    return {
      state: 'free',
      holder: NOBODY,
      isHere: false,
      sentence: 'Nobody has it. It is asked for when there is something to do.',
    };
  const isOwn = lease.holder === source.device.deviceId;
  if (isOwn || (status.view?.remainingMs ?? 0) <= 0) {
    if (!isOwn && status.view?.takeover === 'by-person') {
      const sentence = `The right of ${deviceNameOf(source, lease.holder)} has run out. No device takes it over until somebody says so.`;
      return { state: 'waits-for-person', holder: NOBODY, isHere: false, sentence };
    }
    const sentence = isOwn
      ? `${name} had it before it was last started or let it run out. It is asked for again when there is something to do.`
      : 'It has run out. The next device that asks gets it.';
    return { state: 'expired', holder: NOBODY, isHere: false, sentence };
  }
  const sentence = `${deviceNameOf(source, lease.holder)} has the right to act. ${name} watches.`;
  return { state: 'held', holder: deviceHolder(source, lease.holder), isHere: false, sentence };
}

function deviceHolder(source: ViewSource, deviceId: string): LeaseHolder {
  return { kind: 'device', deviceId, name: deviceNameOf(source, deviceId) };
}

function heldHere(source: ViewSource, standing: LeaseStanding): Standing {
  const { name, deviceId } = source.device;
  const here = { holder: deviceHolder(source, deviceId), isHere: true } as const;
  switch (standing.kind) {
    case 'live':
      return { ...here, state: 'held', sentence: `${name} has the right to act.` };
    case 'hold-off':
      return {
        ...here,
        state: 'hold-off',
        sentence: `${name} has the right to act and waits ${durationText(standing.remainingMs)}, so that the last device has certainly stopped.`,
      };
    case 'doubtful':
      return {
        ...here,
        state: 'doubtful',
        sentence:
          standing.reason === 'suspended'
            ? `${name} was asleep and is not sure it still has the right to act. Nothing is sent until that is confirmed.`
            : `The clocks of ${name} disagree, so it is not sure it still has the right to act. Nothing is sent until that is confirmed.`,
      };
    case 'expired':
      return {
        ...here,
        // One that ran out belongs to no device.
        holder: NOBODY,
        state: 'expired',
        sentence: `${name} no longer has the right to act. Nothing is sent. It asks for it again.`,
      };
    default:
      return assertNever(standing);
  }
}
