import type { EffectKind } from '../../../../shared/core/effect/effect-kind.ts';

/** Words of the approval card. */
export const text = {
  state: 'Needs you: approve',
  settled: 'Settled',
  close: 'Close, decides nothing',
  run: (agent: string, number: string) => `${agent}, run ${number}`,
  lead: 'Nothing has been done. It happens only if you allow it here, and only from ',
  leadEnd: '.',
  exactly: 'Exactly this',
  argv: 'Program and arguments, one box each',
  empty: '(empty)',
  copy: 'Copy',
  copied: 'Copied',
  payload: 'The whole input of this step',
  actsOn: 'Acts on',
  actsOnMore: 'If that changes before it is done, you are asked again.',
  undo: 'Undo',
  why: 'Why you’re asked',
  ifNobody: 'If nobody answers',
  expiry: (when: string, left: string) => `At ${when} (${left}) it counts as not answered. Nothing is done.`,
  reason: 'Reason (optional). It is kept with the run.',
  deny: 'Don’t allow',
  allow: 'Allow this once',
  closing: 'Closing this decides nothing.',
  keys: 'focus a button',
  backToQueue: 'Back to the queue',
  couldNotLoad: 'This question can’t be shown.',
  alreadyDecided: 'Already decided.',
  outcome: {
    allowed: 'Allowed this once.',
    'not-allowed': 'Not allowed. Nothing was done.',
    expired: 'Nobody answered in time, so nothing was done.',
    withdrawn: 'The question was withdrawn: the run doesn’t need it any more.',
    stale: 'Allowed, but that did not count any more. Nothing was done, and you were asked again:',
  },
  by: (who: string, where: string, when: string) => `By ${who}, on ${where}, ${when}.`,
  because: (reason: string) => `Reason: ${reason}`,
  fingerprint: 'Fingerprint',
  like: 'Allow like this…',
  likeTitle: 'Allow this, and later ones like it?',
  likeLead: (agent: string, device: string) =>
    `This one is allowed now. Later questions of ${agent} at this step are answered with yes for you, on ${device} only, as far as you choose here. Other agents are never included.`,
  likeScope: 'What is like this',
  likeUntil: 'Until when',
  likeEnds: { hour: 'For an hour', day: 'For a day', week: 'For 7 days' },
  likeEndsWith:
    'It ends earlier if the agent changes, if its permission ends, or when you revoke it on the agent’s page.',
  likeChoose: 'Choose what is like this, and until when',
  likeGo: 'Allow like this',
  likeNot: 'Don’t allow like this',
} as const;

/** What an effect kind means to a person: a badge, and a sentence about undoing it. */
export function effectWords(kind: EffectKind): {
  readonly badge: string;
  readonly undo: string;
  readonly isSafe: boolean;
} {
  switch (kind) {
    case 'read-only':
      return { badge: 'Only reads', undo: 'Nothing to undo: it only reads.', isSafe: true };
    case 'idempotent-by-key':
      return {
        badge: 'Safe to repeat',
        undo: 'Can’t be undone from here. A repeat is recognised and done once.',
        isSafe: true,
      };
    case 'verifiable':
      return {
        badge: 'Can be checked',
        undo: 'Can’t be undone from here. Whether it happened can be looked up.',
        isSafe: true,
      };
    case 'compensable':
      return { badge: 'Can be undone', undo: 'The agent has a step that undoes it.', isSafe: true };
    case 'blind':
      return {
        badge: 'Can’t be undone',
        undo: 'Can’t be undone, and nobody can look up whether it happened.',
        isSafe: false,
      };
    default:
      return kind;
  }
}
