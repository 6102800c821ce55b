import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { unreachableProblem } from '../register-problem.ts';

/** The oldest etcd whose gateway has all that the register needs, and the oldest that still gets corrections. */
const OLDEST = [3, 4] as const;
const RECOMMENDED = [3, 5] as const;
/** 3.5.0 to 3.5.2 could lose what they had confirmed when they crashed under load (etcd's own postmortem). */
const LOSSY = /^3\.5\.[012](?:\D|$)/u;

/** Whether an etcd of this version can keep the register. `warning` is a sentence, or empty. */
export function judgeVersion(version: string): Result<{ readonly warning: string }, Problem> {
  const match = /^(\d+)\.(\d+)\./u.exec(version);
  const found = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)] as const;
  if (isBelow(found, OLDEST))
    return err(unreachableProblem(`Its etcd is version ${version}, and 3.4 is the oldest that will do.`));
  if (isBelow(found, RECOMMENDED)) {
    return ok({
      warning: `This etcd is version ${version}, which gets no corrections any more. Have it updated to 3.5 or later.`,
    });
  }
  if (LOSSY.test(version)) {
    return ok({
      warning: `etcd ${version} can lose what it confirmed when it crashes. Have it updated to a later 3.5.`,
    });
  }
  return ok({ warning: '' });
}

function isBelow(one: readonly [number, number], other: readonly [number, number]): boolean {
  return one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
}
