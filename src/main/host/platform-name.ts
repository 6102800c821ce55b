/** The kind of system that this runs on, as the window calls it. */
export function platformName(): 'linux' | 'macos' | 'windows' {
  if (process.platform === 'darwin') return 'macos';
  return process.platform === 'win32' ? 'windows' : 'linux';
}
