/** The few words that controls say by themselves. */
export const text = {
  closeDialog: 'Close, changes nothing',
  lookAgain: 'Look again',
  copied: 'Copied',
  notCopied: 'Unable to copy',
  hiddenCharacter: 'A hidden character, written out',
  times: {
    today: 'Today',
    'since-yesterday': 'Since yesterday',
    'last-7-days': 'Last 7 days',
    'last-30-days': 'Last 30 days',
    ask: 'Between two days…',
  },
  days: {
    from: 'First day',
    until: 'Last day',
    fromHelp: 'From its first minute on, as this device counts days.',
    untilHelp: 'To its last minute.',
    wrongOrder: 'The last day is before the first one.',
    needsBoth: 'Choose both days first',
    not: 'Cancel',
  },
  goesOn: '↩',
  lineGoesOn: 'The same line goes on: nothing is between the two',
} as const;
