/** Words of answering several questions together. */
export const text = {
  offers: 'Questions that are alike',
  offer: (questions: number, agent: string) => `Answer ${questions} of ${agent} together…`,
  title: (questions: number, agent: string) => `${questions} questions of ${agent}`,
  lead: (device: string) =>
    `All are asked by the same step under the same permission, and would be done from ${device}. Each is answered by itself, once, for exactly what stands here.`,
  left: (more: number) => `${more} more are like these. They stay in the queue.`,
  alone: (questions: number) =>
    questions === 1
      ? '1 is answered by itself: its text is long, has hidden characters, or was answered meanwhile.'
      : `${questions} are answered by themselves: their texts are long, have hidden characters, or were answered meanwhile.`,
  run: (number: string) => `Run ${number}`,
  list: 'What each of them would do',
  reading: 'Reading what each of them would do…',
  tooFew: 'There are not two left to answer together',
  later: 'Decide later',
  deny: (questions: number) => `Don’t allow these ${questions}`,
  allow: (questions: number) => `Allow these ${questions}, once each`,
  going: (done: number, all: number) => `Answering ${done + 1} of ${all}…`,
  overTitle: 'What came of it',
  allowed: (questions: number) => `${questions} allowed once.`,
  denied: (questions: number) => `${questions} not allowed. Nothing was done.`,
  already: (questions: number) => `${questions} already decided, or not answered in time: that holds.`,
  failed: (questions: number, why: string) => `${questions} can’t be answered: ${why}`,
  close: 'Close',
} as const;
