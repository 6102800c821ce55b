import type { RunDetailView, RunRow, TimelineRow, WhyView } from '../../src/shared/contract/views.ts';

/** One run with a take-over, a sleep and a refusal: all the shapes of its screen. */
export function runDetail(row: RunRow): RunDetailView {
  const at = (minutes: number, seconds = 0) => row.startedAtMs + minutes * 60_000 + seconds * 1_000;
  const lines: readonly [string, number, string, string, TimelineRow['mark']][] = [
    ['trigger', at(0), 'You, from this Mac', 'with 5 names', 'dot'],
    ['lease', at(0, 1), 'This Mac got the right to act', '16 min', 'key'],
    ['intent', at(0, 2), '5 reminders, before anything left', '5 steps', 'dot'],
    ['gate', at(0, 2), 'Your permission of 28 Sep covers all five', 'mail, 5 people', 'dot'],
    ['effect', at(4), 'Reminders 1 and 2 sent by this Mac', 'taken, checked, sent, recorded', 'done'],
    ['run', at(11, 18), 'This Mac slept for 31 minutes. Work-PC took over', '31 min', 'gap'],
    ['lease', at(42, 22), 'Work-PC got it, waited 3.5 s, and learned that 1 and 2 were sent', 'skips 1, 2', 'key'],
    ['claim', at(43, 3), 'Work-PC took reminder 3, attempt 1', '', 'dot'],
    ['fence', at(43, 3), 'Never sent before, and Work-PC still has the right to act', '8 ms', 'dot'],
    ['effect', at(43, 4), 'The mail server accepted reminder 3', '640 ms', 'done'],
    [
      'fence',
      at(45, 31),
      'Not sent again. This Mac woke and asked to send reminder 3',
      'nothing left this Mac',
      'refused',
    ],
    ['settle', at(52, 9), 'Reminder 5 sent. All five are recorded, each once', '5 of 5', 'done'],
    ['successor', at(52, 9), 'Wait for replies until Friday, 18:00', 'running', 'running'],
  ];
  const timeline = lines.map(([word, atMs, sentence, measure, mark], index): TimelineRow => ({
    seq: 100 + index,
    word,
    atMs,
    sentence,
    measure,
    mark,
    effectKey: null,
  }));
  const names = ['Alder Works', 'Birch & Co', 'Cedar Ltd', 'Dogwood', 'Elm Street'];
  const sentAt = [at(3), at(7), at(43, 4), at(47), at(52)];
  return {
    sequence: 1,
    row,
    stateSentence: 'Running on Work-PC since 06:46, viewed from this Mac',
    lease: {
      agentId: row.agentId,
      agentName: row.agentName,
      holderName: 'Work-PC',
      isHere: false,
      state: 'held',
      sentence: 'Work-PC has the right to act',
      epoch: 42,
      remainingMs: 252_000,
      ttlMs: 300_000,
      renewedAtMs: at(60),
      openEntries: 0,
      settledEntries: 3,
    },
    canStop: true,
    canPause: true,
    canResume: false,
    attemptInDoubt: row.status === 'needs-recovery' ? 'attempt-1' : null,
    approvalId: row.status === 'needs-approval' ? 'approval-1' : null,
    timeline,
    lanes: names.map((name, index) => ({
      effectKey: `reminder-${index + 1}`,
      title: `Reminder ${index + 1}, ${name}`,
      outcome: 'Sent once',
      status: 'done',
      marks: [
        { atMs: sentAt[index] ?? at(0), kind: 'sent' as const },
        ...(index === 2 ? [{ atMs: at(45, 31), kind: 'refused' as const }] : []),
      ],
    })),
    steps: names.map((name, index) => ({
      stateId: `remind-${index + 1}`,
      stateVisit: 1,
      title: `Send reminder ${index + 1} to ${name}`,
      type: 'tool',
      status: 'done',
      attempts: index === 2 ? 2 : 1,
      effectKind: 'blind',
      input: {
        text: `{\n  "to": "office@${index}.example",\n  "subject": "Open invoice"\n}`,
        bytes: 62,
        digest: 'a'.repeat(64),
        isCut: false,
      },
      output: { text: '250 2.0.0 accepted', bytes: 18, digest: 'b'.repeat(64), isCut: false },
      summary: 'Accepted by the mail server',
    })),
    why: [refusal(110, at(45, 31))],
    evidence: timeline.map((line) => ({
      seq: line.seq,
      opId: `op-${line.seq}`,
      deviceId: 'device-1',
      atMs: line.atMs,
      kind: 'run.resumed',
      payload: { agentId: row.agentId, runId: row.runId, by: 'Ana' },
    })) as unknown as RunDetailView['evidence'],
  };
}

function refusal(seq: number, atMs: number): WhyView {
  return {
    seq,
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
