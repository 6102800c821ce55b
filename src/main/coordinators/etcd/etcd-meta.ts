import { randomUUID } from 'node:crypto';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { sentenceOf, unreachableProblem } from '../register-problem.ts';
import { agentsPrefix, decodeMeta, encodeMeta, metaKey } from './etcd-agent-keys.ts';
import type { Meta } from './etcd-agent-keys.ts';
import type { EtcdLink } from './etcd-link.ts';
import { anyBelow, isCreatedAt, isUnchanged, pairAt, put, range } from './etcd-wire.ts';
import type { Operation, Pair, TxnAnswer } from './etcd-wire.ts';

interface Where {
  readonly prefix: string;
  readonly untilMs: number;
}

interface Found {
  readonly pair: Pair | null;
  readonly hasAgents: boolean;
  readonly clusterId: string;
}

/** The name of the register, which is given to it when nothing is there yet. */
export async function ensureMeta(link: EtcdLink, where: Where): Promise<Result<Meta, Problem>> {
  const key = metaKey(where.prefix);
  const found = await find(link, where);
  if (!found.ok) return found;
  const { pair, hasAgents, clusterId } = found.value;
  if (pair !== null) return judge(link, found.value);
  if (hasAgents) return err(link.wentBack('Its name is gone.'));
  const made: Meta = { coordinatorId: randomUUID(), incarnation: randomUUID(), clusterId };
  const written = await link.txn(
    { compare: [isCreatedAt(key, '0')], success: [put(key, encodeMeta(made))], failure: metaRanges(where.prefix) },
    { untilMs: where.untilMs, isRead: false },
  );
  if (!written.ok) return written;
  return written.value.succeeded ? ok(made) : judge(link, foundIn(written.value));
}

/**
 * Gives the register a new life, because a person says that what etcd holds now is right: every device then sees that it is
 * another life, and raises each of its agents above everything it has ever seen.
 */
export async function renewMeta(link: EtcdLink, where: Where): Promise<Result<Meta, Problem>> {
  const key = metaKey(where.prefix);
  const found = await find(link, where);
  if (!found.ok) return found;
  const { pair, clusterId } = found.value;
  const coordinatorId = nameIn(pair) ?? randomUUID();
  const made: Meta = { coordinatorId, incarnation: randomUUID(), clusterId };
  const written = await link.txn(
    {
      compare: [isUnchanged(key, pair?.modRevision ?? '0')],
      success: [put(key, encodeMeta(made))],
      failure: [range(key)],
    },
    { untilMs: where.untilMs, isRead: false },
  );
  if (!written.ok) return written;
  return written.value.succeeded ? ok(made) : err(unreachableProblem('Another device has just confirmed it.'));
}

async function find(link: EtcdLink, { prefix, untilMs }: Where): Promise<Result<Found, Problem>> {
  const read = await link.txn({ compare: [], success: metaRanges(prefix), failure: [] }, { untilMs, isRead: true });
  return read.ok ? ok(foundIn(read.value)) : read;
}

function metaRanges(prefix: string): Operation[] {
  return [range(metaKey(prefix)), anyBelow(agentsPrefix(prefix))];
}

function foundIn(answer: TxnAnswer): Found {
  return { pair: pairAt(answer, 0), hasAgents: pairAt(answer, 1) !== null, clusterId: answer.header.cluster_id };
}

function judge(link: EtcdLink, { pair, clusterId }: Found): Result<Meta, Problem> {
  try {
    const meta = decodeMeta(pair?.value ?? '');
    if (meta.clusterId === clusterId) return ok(meta);
    return err(link.wentBack('It was copied into another etcd, as by the restore of a backup.'));
  } catch (cause) {
    return err(unreachableProblem(sentenceOf(cause)));
  }
}

function nameIn(pair: Pair | null): string | null {
  try {
    return pair === null ? null : decodeMeta(pair.value).coordinatorId;
  } catch {
    return null;
  }
}
