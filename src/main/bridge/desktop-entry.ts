/** What a Linux desktop is told about this program: how it is started, and that links of a scheme are its own. */
export function desktopEntry(command: readonly string[], scheme: string): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Fencepost',
    'Comment=Agents on all your devices, and nothing happens twice',
    `Exec=${command.map(quoted).join(' ')} %u`,
    'Terminal=false',
    'Categories=Utility;',
    `MimeType=x-scheme-handler/${scheme};`,
    '',
  ].join('\n');
}

/** What a Linux desktop starts when a person signs in. */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Fencepost',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    '',
  ].join('\n');
}

/** Quoted as the desktop entry specification asks: first for the command line, then for the file. */
function quoted(argument: string): string {
  const forCommand = argument.replaceAll(/["`$\\]/gu, (sign) => `\\${sign}`).replaceAll('%', '%%');
  return `"${forCommand.replaceAll('\\', '\\\\')}"`;
}
