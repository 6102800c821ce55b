/** The words of the settings screen. */
export const text = {
  title: 'Settings',
  device: 'This device',
  name: 'Name',
  nameHelp: 'How other devices and the record call it. Up to 60 characters.',
  save: 'Save the name',
  saved: 'Saved.',
  unchanged: 'Change the name first',
  deviceId: 'Identity',
  deviceIdHelp: 'Made once for this installation. A copy of the data on another machine is not this device.',
  appearance: 'Appearance',
  theme: 'Theme',
  system: 'Like the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'Contrast',
  high: 'High',
  contrastHelp: 'High: black and white text, stronger lines. Colours that the system forces always come first.',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Unable to copy',
  electron: 'Electron',
  node: 'Node.js',
  sqlite: 'SQLite',
  problem: 'The settings can’t be read.',
} as const;

/** A size for people. */
export function sizeWords(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${size.toLocaleString('en', { maximumFractionDigits: unit === 0 || size >= 100 ? 0 : 1 })} ${units[unit] ?? ''}`;
}
