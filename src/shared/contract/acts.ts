import type { EventKind } from './events.ts';

/** What an entry of the record is about, in the words of a person who looks through it. */
export const ACT_KINDS = [
  'decisions',
  'permissions',
  'effects',
  'checks',
  'runs',
  'rights',
  'agents',
  'devices',
] as const;

export type ActKind = (typeof ACT_KINDS)[number];

/** Every kind of entry has its place, so that no filter hides one for good. */
const ACTS: Readonly<Record<EventKind, ActKind>> = {
  'agent.saved': 'agents',
  'agent.stop-requested': 'decisions',
  'agent.pause-requested': 'decisions',
  'agent.resumed': 'decisions',
  'grant.given': 'permissions',
  'grant.revoked': 'permissions',
  'grant.expired': 'permissions',
  'trigger.fired': 'runs',
  'trigger.armed': 'agents',
  'trigger.missed': 'runs',
  'trigger.skipped': 'decisions',
  'intent.recorded': 'effects',
  'intent.refused': 'effects',
  'gate.decided': 'checks',
  'claim.decided': 'checks',
  'claim.extended': 'checks',
  'fence.decided': 'checks',
  'effect.started': 'effects',
  'effect.withheld': 'effects',
  'settle.recorded': 'effects',
  'settle.late-evidence': 'effects',
  'successor.released': 'runs',
  'successor.refused': 'runs',
  'recovery.reclaimed': 'effects',
  'recovery.in-doubt': 'decisions',
  'recovery.probed': 'decisions',
  'recovery.repeated': 'effects',
  'recovery.decided': 'decisions',
  'recovery.reopened': 'decisions',
  'recovery.answered': 'decisions',
  'approval.requested': 'decisions',
  'approval.decided': 'decisions',
  'approval.answered': 'decisions',
  'approval.stale': 'decisions',
  'approval.expired': 'decisions',
  'approval.standing-given': 'permissions',
  'approval.standing-revoked': 'permissions',
  'run.entered': 'runs',
  'run.waiting': 'runs',
  'run.retrying': 'runs',
  'run.branching': 'runs',
  'run.branched': 'runs',
  'run.concluded': 'runs',
  'run.stop-requested': 'decisions',
  'run.pause-requested': 'decisions',
  'run.resumed': 'decisions',
  'run.ended': 'runs',
  'lease.acquired': 'rights',
  'lease.observed': 'rights',
  'lease.released': 'rights',
  'lease.lost': 'rights',
  'lease.doubtful': 'rights',
  'lease.went-back': 'rights',
  'lease.moved': 'rights',
  'lease.moved-away': 'rights',
  'lease.bumped': 'rights',
  'lease.takeover-set': 'rights',
  'sync.device-joined': 'devices',
  'sync.device-let-go': 'devices',
  'sync.keys-rotated': 'devices',
};

/** What an entry of this kind is about; `null` for a kind that a later version wrote. */
export function actOf(kind: string): ActKind | null {
  return Object.hasOwn(ACTS, kind) ? ACTS[kind as EventKind] : null;
}

/** The kinds of entries that are about any of these. */
export function kindsOf(acts: readonly ActKind[]): readonly EventKind[] {
  return (Object.keys(ACTS) as EventKind[]).filter((kind) => acts.includes(ACTS[kind]));
}
