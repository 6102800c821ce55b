/** The few words that controls say by themselves. */
export const text = {
  closeDialog: 'Close, changes nothing',
  lookAgain: 'Look again',
  hiddenCharacter: 'A hidden character, written out',
} as const;
