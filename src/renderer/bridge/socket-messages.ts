import type { ChangeNotice } from '../../shared/contract/api.ts';

export type SocketMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'notice'; readonly notice: ChangeNotice };

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

/** How long to wait before the next try: doubled each time up to a limit, `luck` (0 to 1) spreads windows apart. */
export function backOffMs(failures: number, luck: number): number {
  const full = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 16));
  return Math.round(full / 2 + (full / 2) * luck);
}

/** Reads a frame from the host; `null` when it is none of the two kinds. */
export function readMessage(data: unknown): SocketMessage | null {
  if (typeof data !== 'string') return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  if ('notice' in parsed && isNotice(parsed.notice)) return { kind: 'notice', notice: parsed.notice };
  if ('id' in parsed && typeof parsed.id === 'number' && 'answer' in parsed && isAnswer(parsed.answer)) {
    return { kind: 'answer', id: parsed.id, answer: parsed.answer };
  }
  return null;
}

function isAnswer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean';
}

function isNotice(value: unknown): value is ChangeNotice {
  return (
    typeof value === 'object' &&
    value !== null &&
    'sequence' in value &&
    typeof value.sequence === 'number' &&
    'previousSequence' in value &&
    typeof value.previousSequence === 'number' &&
    'runIds' in value &&
    Array.isArray(value.runIds) &&
    'agentIds' in value &&
    Array.isArray(value.agentIds)
  );
}
