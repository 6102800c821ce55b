/** The words about what changed while this device was asleep. */
export const asleepText = {
  label: 'While this device was asleep',
  heard: (deviceName: string) => `${deviceName} was asleep, and something changed meanwhile.`,
  title: (deviceName: string, length: string) => `${deviceName} was asleep for ${length}`,
  until: 'until',
  dismiss: 'Seen',
  doubtful: 'may not be this device’s to act for any more. Nothing is sent until that is confirmed.',
  gone: (deviceName: string) => `is ${deviceName}’s to act for now. This device watches.`,
  answered: (count: number) => (count === 1 ? '1 question was answered' : `${count} questions were answered`),
  on: (deviceName: string) => `on ${deviceName}`,
  runs: (count: number, isMore: boolean) =>
    `${isMore ? 'At least ' : ''}${count === 1 ? '1 run' : `${count} runs`} went on elsewhere:`,
  allRuns: 'Show all runs',
  missed: 'Missed meanwhile',
} as const;
