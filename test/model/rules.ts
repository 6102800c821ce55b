import { claimEffect } from '../../src/shared/core/claim/claim-effect.ts';
import { checkDispatch } from '../../src/shared/core/fence/check-dispatch.ts';
import { lastLook } from '../../src/shared/core/fence/last-look.ts';
import { evaluateDispatch } from '../../src/shared/core/gate/evaluate-dispatch.ts';
import {
  holdOffRemainingMs,
  isRenewalDue,
  leaseStanding,
  localTermMs,
  renewHeldLease,
} from '../../src/shared/core/lease/held-lease.ts';
import { checkHighWater } from '../../src/shared/core/lease/high-water.ts';
import { applyVerb } from '../../src/shared/core/lease/register.ts';
import { isPermitted, standingEntry } from '../../src/shared/core/lease/tail.ts';
import { automaticRecovery } from '../../src/shared/core/recovery/automatic-recovery.ts';
import { recoverClaim } from '../../src/shared/core/recovery/recover-claim.ts';
import { checkDecision } from '../../src/shared/core/recovery/recovery-options.ts';
import { settleEffect } from '../../src/shared/core/settle/settle-effect.ts';
import { releaseSuccessors } from '../../src/shared/core/successor/release-successors.ts';

/**
 * What the model runs on: the product's own decisions. A mutant replaces one of them; the model around them only finds the
 * facts and writes the verdicts down, as the store and the host do.
 */
export interface Rules {
  readonly applyVerb: typeof applyVerb;
  readonly isPermitted: typeof isPermitted;
  readonly leaseStanding: typeof leaseStanding;
  readonly holdOffRemainingMs: typeof holdOffRemainingMs;
  readonly isRenewalDue: typeof isRenewalDue;
  readonly localTermMs: typeof localTermMs;
  readonly renewHeldLease: typeof renewHeldLease;
  readonly checkHighWater: typeof checkHighWater;
  readonly checkDispatch: typeof checkDispatch;
  readonly standingEntry: typeof standingEntry;
  readonly lastLook: typeof lastLook;
  readonly claimEffect: typeof claimEffect;
  readonly recoverClaim: typeof recoverClaim;
  readonly automaticRecovery: typeof automaticRecovery;
  readonly checkDecision: typeof checkDecision;
  readonly settleEffect: typeof settleEffect;
  readonly releaseSuccessors: typeof releaseSuccessors;
  readonly evaluateDispatch: typeof evaluateDispatch;
  /** Whose deadline the host hands to the last look (protocol section 5, rule 6). */
  readonly deadlineAtLastLook: 'claim' | 'device';
  /** From when the host counts a lease (protocol section 5, rule 2). */
  readonly leaseCountsFrom: 'send' | 'reply';
  /** Whether the host calls back what is on its way under a lease that it is told is lost (protocol section 5). */
  readonly callsBackWhenLost: boolean;
}

/** The product as it is. */
export const REAL_RULES: Rules = {
  applyVerb,
  isPermitted,
  leaseStanding,
  holdOffRemainingMs,
  isRenewalDue,
  localTermMs,
  renewHeldLease,
  checkHighWater,
  checkDispatch,
  standingEntry,
  lastLook,
  claimEffect,
  recoverClaim,
  automaticRecovery,
  checkDecision,
  settleEffect,
  releaseSuccessors,
  evaluateDispatch,
  deadlineAtLastLook: 'claim',
  leaseCountsFrom: 'send',
  callsBackWhenLost: true,
};
