import type { LeaseView } from '../../src/shared/contract/lease-views.ts';
import type {
  LaneView,
  RunDetailView,
  RunRow,
  StepRow,
  TimelineRow,
  WhyView,
} from '../../src/shared/contract/views.ts';

const names = ['Alder Works', 'Birch & Co', 'Cedar Ltd', 'Dogwood', 'Elm Street'];
/** When each reminder went out, in seconds after the start. */
const sentAfter = [180, 420, 2_584, 2_820, 3_120];
const REFUSED_AFTER = 2_731;
const REFUSED_SEQ = 110;

const lines: readonly [word: string, after: number, sentence: string, measure: string, mark: TimelineRow['mark']][] = [
  ['trigger', 0, 'You, from this Mac', 'with 5 names', 'dot'],
  ['lease', 1, 'This Mac got the right to act', '16 min', 'key'],
  ['intent', 2, '5 reminders, before anything left', '5 steps', 'dot'],
  ['gate', 2, 'Your permission of 28 Sep covers all five', 'mail, 5 people', 'dot'],
  ['effect', 240, 'Reminders 1 and 2 sent by this Mac', 'taken, checked, sent, recorded', 'done'],
  ['run', 678, 'This Mac slept for 31 minutes. Work-PC took over', '31 min', 'gap'],
  ['lease', 2_542, 'Work-PC got it, waited 3.5 s, and learned that 1 and 2 were sent', 'skips 1, 2', 'key'],
  ['claim', 2_583, 'Work-PC took reminder 3, attempt 1', '', 'dot'],
  ['fence', 2_583, 'Never sent before, and Work-PC still has the right to act', '8 ms', 'dot'],
  ['effect', 2_584, 'The mail server accepted reminder 3', '640 ms', 'done'],
  [
    'fence',
    REFUSED_AFTER,
    'Not sent again. This Mac woke and asked to send reminder 3',
    'nothing left this Mac',
    'refused',
  ],
  ['settle', 3_129, 'Reminder 5 sent. All five are recorded, each once', '5 of 5', 'done'],
  ['successor', 3_129, 'Wait for replies until Friday, 18:00', 'running', 'running'],
];

/** One run with a take-over, a sleep and a refusal: all the shapes of its screen. */
export function runDetail(row: RunRow): RunDetailView {
  const at = (seconds: number) => row.startedAtMs + seconds * 1_000;
  const timeline = lines.map(([word, after, sentence, measure, mark], index): TimelineRow => ({
    seq: 100 + index,
    word,
    atMs: at(after),
    sentence,
    measure,
    mark,
    effectKey: null,
  }));
  return {
    sequence: 1,
    row,
    stateSentence: 'Running on Work-PC since 06:46, viewed from this Mac',
    condensed: null,
    lease: leaseOf(row),
    canStop: true,
    canPause: true,
    canResume: false,
    attemptInDoubt: null,
    approvalId: null,
    timeline,
    lanes: names.map((_, index) => lane(index, at)),
    steps: names.map((_, index) => step(index)),
    why: [refusal(at(REFUSED_AFTER))],
    evidence: timeline.map((line) => evidence(line, row)),
    earlier: { timeline: 0, evidence: 0, steps: 0, why: 0 },
    within: [],
    branch: null,
    nodes: [],
    edges: [],
    branchings: [],
    live: [],
  };
}

function leaseOf(row: RunRow): LeaseView {
  return {
    agentId: row.agentId,
    agentName: row.agentName,
    holder: { kind: 'device', deviceId: 'work', name: 'Work-PC' },
    isHere: false,
    state: 'held',
    sentence: 'Work-PC has the right to act',
    epoch: 42,
    remainingMs: 252_000,
    ttlMs: 300_000,
    renewedAtMs: row.startedAtMs + 3_600_000,
    openEntries: 0,
    settledEntries: 3,
    takeover: 'automatic',
    canTakeOver: false,
    takeOverSentence: '',
    holdOffMs: 0,
    canBump: false,
  };
}

function lane(index: number, at: (seconds: number) => number): LaneView {
  const refused = index === 2 ? [{ atMs: at(REFUSED_AFTER), kind: 'refused' as const }] : [];
  return {
    effectKey: `reminder-${index + 1}`,
    title: `Reminder ${index + 1}, ${names[index] ?? ''}`,
    outcome: 'Sent once',
    status: 'done',
    marks: [{ atMs: at(sentAfter[index] ?? 0), kind: 'sent' }, ...refused],
  };
}

function step(index: number): StepRow {
  const input = `{\n  "to": "office@${index}.example",\n  "subject": "Open invoice"\n}`;
  return {
    stateId: `remind-${index + 1}`,
    stateVisit: 1,
    title: `Send reminder ${index + 1} to ${names[index] ?? ''}`,
    type: 'tool',
    status: 'done',
    attempts: index === 2 ? 2 : 1,
    effectKind: 'blind',
    input: { text: input, bytes: input.length, digest: 'a'.repeat(64), isCut: false },
    output: { text: '250 2.0.0 accepted', bytes: 18, digest: 'b'.repeat(64), isCut: false },
    summary: 'Accepted by the mail server',
    tries: [],
    model: null,
  };
}

function evidence(line: TimelineRow, row: RunRow): RunDetailView['evidence'][number] {
  // Identifiers of a fixture need no check.
  const payload = { agentId: row.agentId, runId: row.runId, by: 'Ana' } as never;
  return {
    kind: 'run.resumed',
    payload,
    seq: line.seq,
    journalSeq: line.seq,
    epoch: 1,
    opId: `op-${line.seq}`,
    deviceId: 'device-1',
    atMs: line.atMs,
  };
}

function refusal(atMs: number): WhyView {
  return {
    seq: REFUSED_SEQ,
    atMs,
    effectKey: 'reminder-3',
    headline: 'Why it was not sent again',
    isGoodNews: true,
    questions: [
      {
        question: 'Is it allowed?',
        answer: 'Yes. Your permission of 28 Sep: mail to people with an open invoice.',
        verdict: 'yes',
      },
      { question: 'Was the run stopped or paused?', answer: 'No.', verdict: 'yes' },
      {
        question: 'Was it sent before?',
        answer: 'Yes. Work-PC sent it at 06:49:04. This Mac learned that at 07:12:30, from Attic.',
        verdict: 'decided',
      },
      {
        question: 'Does this Mac have the right to act?',
        answer: 'No. It moved to Work-PC at 06:46:22, while this Mac was asleep.',
        verdict: 'no',
      },
    ],
    facts: [
      { name: 'Asked', value: '07:12:31.204' },
      { name: 'Answered', value: '9 ms later, by Attic' },
      { name: 'Left this Mac', value: '0 bytes' },
    ],
  };
}
