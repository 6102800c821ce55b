import { exampleEntry, LAPTOP, token } from '../example-facts.ts';
import type { RegisterRecord, RegisterVerb, TailEntry } from './register.ts';

type Announce = Extract<RegisterVerb, { verb: 'announce' }>;
type SettleTail = Extract<RegisterVerb, { verb: 'settle-tail' }>;

/** The laptop holds the agent at epoch 2. */
export function holding(tail: readonly TailEntry[] = [], changes: Partial<RegisterRecord> = {}): RegisterRecord {
  return { epoch: 2, holder: LAPTOP, nonce: 'n', ttlMs: 1, isUnclean: false, tail, frontier: {}, ...changes };
}

const { effect, digest } = exampleEntry();
export const announce = (changes: Partial<Announce> = {}, attempt = 'second'): Announce => ({
  verb: 'announce',
  deviceId: LAPTOP,
  epoch: 2,
  entry: { effect, attemptToken: token(attempt), digest },
  permit: null,
  ...changes,
});
export const settle = (changes: Partial<SettleTail> = {}): SettleTail => ({
  verb: 'settle-tail',
  deviceId: LAPTOP,
  epoch: 2,
  effect,
  attemptToken: token('first'),
  status: 'committed',
  opId: 'op-7',
  seq: 7,
  ...changes,
});
