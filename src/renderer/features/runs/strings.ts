/** The words of the runs list. */
export const text = {
  title: 'Runs',
  search: 'Search what, whom, which file',
  searchLabel: 'Search runs',
  clearSearch: 'Clear the search',
  found: 'Found inside runs',
  showFound: 'Show everything that was found',
  runAgent: 'Run an agent…',
  summary: 'Runs by state',
  views: 'Saved views',
  all: 'All',
  needsYou: 'Needs you',
  inFlight: 'In flight',
  done: 'Done',
  notSent: 'Not sent',
  sentAndFailed: 'Failed after sending',
  state: 'State',
  agent: 'Agent',
  anyAgent: 'Any agent',
  removeState: (word: string) => `State is ${word}. Remove this filter`,
  removeAgent: (name: string) => `Agent is ${name}. Remove this filter`,
  is: 'is',
  showing: (shown: number, total: number) =>
    shown === total
      ? `${count(total)} ${total === 1 ? 'run' : 'runs'}`
      : `Shows ${count(shown)} of ${count(total)} runs.`,
  showAll: 'Show all',
  newAbove: (rows: number) => `${count(rows)} new above`,
  goToNew: (rows: number) => `${count(rows)} new above. Go to the top`,
  heard: (shown: number, needsYou: number) => `${count(shown)} runs, ${count(needsYou)} need you.`,
  columns: {
    state: 'State',
    what: 'What',
    agent: 'Agent',
    device: 'Device',
    started: 'Started',
    took: 'Took',
    steps: 'Steps',
    last: 'Last event',
  },
  newestFirst: 'newest first',
  nobody: 'No device awake',
  notRun: 'not run',
  loading: 'Reading…',
  band: {
    needs: 'Needs you',
    running: 'Running',
    waiting: 'Waiting',
    done: 'Done',
    refused: 'Refused',
    unsent: 'Failed, nothing sent',
    sent: 'Failed, was sent',
    stopped: 'Stopped',
    missed: 'Missed',
  },
  emptyTitle: 'No runs yet',
  empty: 'Each time an agent works, it appears here: what it did, on which device, and whether it needs you.',
  chooseAgent: 'Choose an agent to run',
  noneTitle: 'No run fits',
  none: 'Nothing fits this search and these filters.',
  problem: 'The runs can’t be read.',
} as const;

/** A figure with its thousands apart. */
export function count(figure: number): string {
  return figure.toLocaleString('en');
}
