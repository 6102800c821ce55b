/** The few words that controls say by themselves. */
export const text = {
  closeDialog: 'Close, changes nothing',
  lookAgain: 'Look again',
  copied: 'Copied',
  notCopied: 'Unable to copy',
  hiddenCharacter: 'A hidden character, written out',
  goesOn: '↩',
  lineGoesOn: 'The same line goes on: nothing is between the two',
} as const;
