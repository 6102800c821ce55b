/** The words about what changed while this device was asleep. */
export const asleepText = {
  label: 'While this device was asleep',
  heard: (deviceName: string) => `${deviceName} was asleep, and something changed meanwhile.`,
  title: (deviceName: string, length: string) => `${deviceName} was asleep for ${length}`,
  until: 'until',
  dismiss: 'Seen',
  doubtful: 'this device may no longer have the right to act. Nothing is sent until that is confirmed.',
  gone: (deviceName: string) => `${deviceName} has the right to act now. This device watches.`,
  answered: (count: number) => (count === 1 ? '1 question was answered' : `${count} questions were answered`),
  on: (deviceName: string) => `on ${deviceName}`,
  runs: (count: number, isMore: boolean) =>
    `${isMore ? 'At least ' : ''}${count === 1 ? '1 run' : `${count} runs`} went on elsewhere:`,
  allRuns: 'Show all runs',
  missed: 'Missed meanwhile',
} as const;
