import { ownersOf } from '../../src/main/views/lease-owners.ts';
import type { AgentLease, LeaseHolder, LeasesView, LeaseWait } from '../../src/shared/contract/lease-views.ts';
import { agentIdOf } from './window-rows.ts';

const MAC: LeaseHolder = { kind: 'device', deviceId: 'device-1', name: 'This Mac' };
const WORK: LeaseHolder = { kind: 'device', deviceId: 'device-2', name: 'Work-PC' };
export const ATTIC: LeaseHolder = { kind: 'device', deviceId: 'device-3', name: 'Attic' };
const NOBODY: LeaseHolder = { kind: 'nobody' };
const UNKNOWN: LeaseHolder = { kind: 'unknown' };

/** The list of rights, with those of some agents changed. */
export function leasesView(nowMs: number, changes: Readonly<Record<string, Partial<AgentLease>>> = {}): LeasesView {
  const all = leases(nowMs).map((lease) => ({ ...lease, ...changes[lease.agentName] }));
  return { sequence: 1, leases: all, owners: ownersOf(all), total: all.length };
}

const UNCLEAR: LeaseWait = { kind: 'unclear', sentence: '1 unclear step waits for you' };
const ASKED: LeaseWait = { kind: 'approve', sentence: 'Waits for your approval' };

function leaseAt(nowMs: number) {
  return (agentName: string, holder: LeaseHolder, change: Partial<AgentLease> = {}): AgentLease => ({
    agentId: agentIdOf(agentName),
    agentName,
    holder,
    isHere: holder === MAC,
    state: 'held',
    sentence: 'Nothing in flight',
    epoch: 42,
    remainingMs: 286_000,
    ttlMs: 300_000,
    renewedAtMs: nowMs - 6_000,
    openEntries: 0,
    settledEntries: 2,
    takeover: 'automatic',
    canTakeOver: false,
    takeOverSentence: '',
    holdOffMs: 0,
    canBump: false,
    waits: null,
    ...change,
  });
}

/** Who has the right to act for each agent: on three devices, with nobody, and not known. */
function leases(nowMs: number): AgentLease[] {
  const lease = leaseAt(nowMs);
  return [
    lease('Morning report', MAC, { waits: UNCLEAR }),
    lease('Site keeper', MAC, { waits: ASKED }),
    lease('Photo shelf', MAC, { sentence: 'Moving photo 141 of 212', openEntries: 1 }),
    lease('Support digest', MAC, { sentence: 'Reading 37 messages' }),
    lease('Note gardener', MAC, { state: 'doubtful', sentence: 'Nothing sent until confirmed' }),
    lease('Bill payer', WORK, { waits: UNCLEAR }),
    lease('Invoice chaser', WORK, {
      sentence: 'Waiting for replies',
      remainingMs: 152_000,
      renewedAtMs: nowMs - 48_000,
    }),
    lease('Price watch', WORK, {
      sentence: 'Reading list 11 of 18',
      canTakeOver: true,
      openEntries: 1,
      takeOverSentence:
        'Work-PC has the right to act and is awake. Taking over cuts it off: it sends nothing more, and This Mac acts after a wait of 3.5 s.',
    }),
    lease('Newsletter', NOBODY, {
      state: 'waits-for-person',
      sentence: 'Work-PC went silent at 06:46. Nobody takes over by itself.',
      takeover: 'by-person',
      canTakeOver: true,
      remainingMs: 0,
      takeOverSentence: 'Work-PC has not renewed it since 06:46, so it has run out. This Mac can take it at once.',
    }),
    lease('Shop window', UNKNOWN, {
      state: 'went-back',
      sentence: 'The record is older than what This Mac has seen. Nothing is sent until you have looked.',
      canBump: true,
      remainingMs: 0,
    }),
    lease('Garden', MAC, {
      state: 'hold-off',
      holdOffMs: 3_500,
      sentence: 'Waits until the last device has certainly stopped',
    }),
    lease('Inbox helper', UNKNOWN, {
      state: 'moved',
      sentence: 'Moved to PostgreSQL (db.example). This Mac follows when it is told.',
      remainingMs: 0,
      renewedAtMs: null,
    }),
    lease('Archivist', ATTIC, { waits: ASKED }),
    lease('Night backup', ATTIC, { sentence: 'Writing file 2,118 of 2,304' }),
    lease('Domain keeper', NOBODY, { state: 'free', sentence: 'Let go at 06:00', renewedAtMs: null }),
  ];
}
