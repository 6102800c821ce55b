import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { QuarantineReason } from './take-in.ts';

/** The rotation that brings the key may come with another device's entries. */
export function isKeyOnItsWay(reason: QuarantineReason): boolean {
  return reason.kind === 'cannot-open' && reason.problem.kind === 'unknown-key-epoch';
}

/** Only what the code itself stumbled over is the entry's fault. */
export function notUnderstood(seq: number, failure: Problem): QuarantineReason | null {
  return failure.code === 'internal' ? { kind: 'not-understood', seq, message: failure.message } : null;
}

/** Nothing can be read or written at the moment. */
export function storeProblem(): Problem {
  return problem('store-unsure', 'The record is being opened again after a disk error.', 'Wait a moment.');
}

/** The relay holds more of this device than this device has. */
export function wentBackProblem(heldSeq: number, ownSeq: number): Problem {
  return problem(
    'relay-fork',
    'Your other devices know more of this device than it knows itself: its record is an older copy.',
    'Give this device a new identity under Devices. Until then it takes nothing in and hands nothing over.',
    { heldSeq, ownSeq },
  );
}

/** Entries of other devices are here, and the code stumbles over working them in. */
export function notWorkedIn(failure: Problem): Problem {
  if (failure.code !== 'internal') return failure;
  return problem(
    'internal',
    `What came from other devices cannot be worked in by this version: ${failure.message}`,
    'Nothing is begun here meanwhile, and nothing is lost. Update Fencepost on this device.',
  );
}
