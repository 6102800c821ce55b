/** Words around an exact payload. */
export const payloadText = {
  reading: 'Reading the rest…',
  notWhole: (why: string) => `Only the beginning is shown. ${why}`,
  hiddenOne: 'One hidden character. It is shown above as its code.',
  hidden: (count: number) => `${count} hidden characters. They are shown above as their codes.`,
  hiddenWhy: 'Hidden characters are sometimes put there to mislead.',
  fingerprint: 'Fingerprint',
  bytes: (count: number) => (count === 1 ? '1 byte' : `${count.toLocaleString('en')} bytes`),
} as const;
