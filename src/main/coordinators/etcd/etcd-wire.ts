import { z } from 'zod';

// The JSON form of etcd's own messages. Numbers of 64 bits are texts in it, bytes are base64, and a zero is left out.
const int64 = z.string().regex(/^-?\d{1,20}$/u);
const headerSchema = z.object({
  cluster_id: int64,
  revision: int64.default('0').transform(Number),
  raft_term: int64.default('0'),
});
const pairSchema = z.object({
  key: z.string(),
  value: z.string().default(''),
  create_revision: int64,
  mod_revision: int64,
  lease: int64.default('0'),
});
const rangeSchema = z.object({ kvs: z.array(pairSchema).default([]) });

/** Answer of `/v3/kv/txn`. */
export const txnSchema = z.object({
  header: headerSchema,
  succeeded: z.boolean().default(false),
  responses: z.array(z.object({ response_range: rangeSchema.optional() })).default([]),
});
/** Answer of `/v3/lease/grant`; etcd may grant more seconds than were asked for. */
export const grantSchema = z.object({ header: headerSchema, ID: int64, TTL: int64.transform(Number) });
/** Answer of `/v3/lease/keepalive`; without a TTL there is no such lease. */
export const keepAliveSchema = z.object({
  result: z.object({ header: headerSchema, TTL: int64.default('0').transform(Number) }),
});
/** Answer of `/v3/lease/timetolive`; -1: there is no such lease. */
export const timeToLiveSchema = z.object({ header: headerSchema, TTL: int64.default('0').transform(Number) });
export const revokeSchema = z.object({ header: headerSchema });
export const authenticateSchema = z.object({ token: z.string().min(1) });
export const statusSchema = z.object({ header: headerSchema, version: z.string(), leader: int64.default('0') });
export const membersSchema = z.object({ members: z.array(z.object({ ID: int64 })).default([]) });
/** An error of etcd: `code` is that of gRPC. */
export const refusalSchema = z.object({ code: z.number(), message: z.string() });

export type TxnAnswer = z.infer<typeof txnSchema>;

/** One key as it was read. Revisions and the lease are texts of digits; a lease of `0` is none. */
export interface Pair {
  readonly value: string;
  readonly createRevision: string;
  readonly modRevision: string;
  readonly lease: string;
}

/** A condition of a transaction. A revision of `0` means: the key does not exist. */
export type Compare =
  | { readonly key: string; readonly target: 'MOD'; readonly result: 'EQUAL'; readonly mod_revision: string }
  | {
      readonly key: string;
      readonly target: 'CREATE';
      readonly result: 'EQUAL' | 'LESS';
      readonly create_revision: string;
    }
  | { readonly key: string; readonly target: 'LEASE'; readonly result: 'EQUAL'; readonly lease: string };

/** A step of a transaction. A range is never `serializable`: such a read is answered by one member alone, and may be old. */
export type Operation =
  | {
      readonly request_range: {
        readonly key: string;
        readonly range_end?: string;
        readonly limit?: string;
        readonly keys_only?: boolean;
      };
    }
  | { readonly request_put: { readonly key: string; readonly value: string; readonly lease?: string } }
  | { readonly request_delete_range: { readonly key: string } };

export interface Txn {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export function encodeText(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Condition: the key was last written at this revision. */
export function isUnchanged(key: string, modRevision: string): Compare {
  return { key: encodeText(key), target: 'MOD', result: 'EQUAL', mod_revision: modRevision };
}

/** Condition: the key was made at this revision, and has been there ever since. */
export function isCreatedAt(key: string, createRevision: string): Compare {
  return { key: encodeText(key), target: 'CREATE', result: 'EQUAL', create_revision: createRevision };
}

/** Condition: the key ends with this lease. */
export function isOnLease(key: string, lease: string): Compare {
  return { key: encodeText(key), target: 'LEASE', result: 'EQUAL', lease };
}

export function range(key: string): Operation {
  return { request_range: { key: encodeText(key) } };
}

/** Whether there is any key that begins so: at most one is answered, and without its value. */
export function anyBelow(prefix: string): Operation {
  return {
    request_range: { key: encodeText(prefix), range_end: endOfPrefix(prefix), limit: '1', keys_only: true },
  };
}

/** The first key, in base64, that sorts behind all that begin so. */
export function endOfPrefix(prefix: string): string {
  const bytes = Buffer.from(prefix, 'utf8');
  const last = bytes.findLastIndex((byte) => byte < 0xff);
  const end = Buffer.from(bytes.subarray(0, last + 1));
  end[last] = (end[last] ?? 0) + 1;
  return end.toString('base64');
}

export function put(key: string, value: string, lease: string | null = null): Operation {
  const request = { key: encodeText(key), value: encodeText(value) };
  return { request_put: lease === null ? request : { ...request, lease } };
}

export function remove(key: string): Operation {
  return { request_delete_range: { key: encodeText(key) } };
}

/** The key that the n-th operation of the branch read; `null` if it does not exist. */
export function pairAt(answer: TxnAnswer, index: number): Pair | null {
  const pair = answer.responses[index]?.response_range?.kvs[0];
  if (pair === undefined) return null;
  const value = Buffer.from(pair.value, 'base64').toString('utf8');
  return { value, createRevision: pair.create_revision, modRevision: pair.mod_revision, lease: pair.lease };
}
