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
  device: 'Device',
  removeDevice: (name: string) => `Device: ${name}. Remove this filter`,
  time: 'Started',
  removeTime: (words: string) => `Started: ${words}. Remove this filter`,
  daysTitle: 'Runs that started between two days',
  daysGo: 'Show these runs',
  removeState: (word: string) => `State: ${word}. Remove this filter`,
  removeAgent: (name: string) => `Agent: ${name}. Remove this filter`,
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
    chosen: 'Chosen',
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
  saved: {
    save: 'Save this view…',
    rename: 'Rename…',
    remove: 'Remove',
    saveTitle: 'Save this view',
    renameTitle: 'Rename this view',
    name: 'Name',
    help: 'It keeps the search and all filters that are chosen now, for this profile. A time goes on with the calendar.',
    renameHelp: 'Its filters stay as they are.',
    go: 'Save',
    not: 'Don’t save',
    needsName: 'Give it a name first',
  },
  chosen: {
    label: 'Chosen runs',
    figure: (chosen: number) => `${count(chosen)} chosen`,
    cut: (most: number) => `At most ${count(most)} at a time: the first ones are chosen.`,
    all: (matching: number) => `Choose all ${count(matching)} that match`,
    none: 'Choose none',
    stop: 'Stop…',
    export: 'Export',
    exporting: (done: number, all: number) => `Reading run ${count(done + 1)} of ${count(all)}…`,
    exported: (runs: string, fileName: string) => `Saved ${runs} as ${fileName}.`,
    notExported: (runs: string, why: string) => `${runs} can’t be exported: ${why}`,
    keys: 'Space chooses a row, Shift with an arrow several, Control or Command with A all, Escape none.',
  },
  stop: {
    title: (runs: string) => `Stop ${runs}?`,
    noneTitle: 'Nothing to stop',
    none: 'All chosen runs have ended.',
    body: 'Nothing more will be sent by them. What was already sent stays sent.',
    working: (runs: string) =>
      `${runs} working now. If something is on its way, it is followed to its end and its outcome is kept.`,
    elsewhere: (runs: string) => `${runs} on another device, which stops as soon as it hears of it.`,
    unclear: (runs: string) => `${runs} an unclear step. Stopping doesn’t decide about it: the run ends once you have.`,
    ended: (runs: string) => `${runs} already and stay as they are.`,
    final: 'A stopped run can’t be resumed. Each one is asked by itself, and what it answers is counted.',
    go: (runs: string) => `Stop ${runs}`,
    keep: 'Keep them running',
    reading: 'Looking at how they stand…',
    going: (done: number, all: number) => `Stopping ${count(done + 1)} of ${count(all)}…`,
    goingTitle: 'Stopping…',
    overTitle: 'What came of it',
    stopped: (runs: string) => `The stop holds for ${runs}: nothing further is sent.`,
    endedBefore: (runs: string) => `${runs} had ended already.`,
    cannot: (runs: string, why: string) => `${runs} can’t be stopped: ${why}`,
    close: 'Close',
  },
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

/** `3 runs`, or `1 run`. */
export function runsText(figure: number): string {
  return `${count(figure)} ${figure === 1 ? 'run' : 'runs'}`;
}

/** The same with a verb: `3 runs are`, or `1 run is`. */
export function runsThat(figure: number, one: string, several: string): string {
  return `${runsText(figure)} ${figure === 1 ? one : several}`;
}

/** A figure with its thousands apart. */
export function count(figure: number): string {
  return figure.toLocaleString('en');
}
