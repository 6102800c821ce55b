/** Words of the queue. */
export const text = {
  heading: 'Needs you',
  listName: 'Items that need a person',
  unclear: 'Unclear: did it happen?',
  approvals: 'Waiting for your approval',
  settled: 'Settled lately',
  reopen: 'Reopen',
  from: (agent: string, run: string) => `${agent}, run ${run}`,
  state: { unclear: 'Needs you: unclear', approve: 'Needs you: approve' },
  oneItem: (oldest: string) => `1 item, ${oldest} old`,
  items: (count: number, oldest: string) => `${count} items, oldest ${oldest}`,
  nothing: 'Nothing needs you.',
  finished: (count: number) =>
    count === 1 ? '1 run finished since yesterday.' : `${count} runs finished since yesterday.`,
  nothingWhy: 'When a step has to be allowed, or nobody can tell whether it happened, it waits here until you decide.',
  seeRuns: 'See all runs',
  pickHeading: 'Nothing is open',
  pick: 'Open an item to see what is known about it. Opening and closing decide nothing.',
  nextItem: 'next item',
  open: 'open',
  back: 'back, decides nothing',
  listFailed: 'The queue can’t be shown.',
} as const;
