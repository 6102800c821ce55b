import { readFileSync } from 'node:fs';
import { askSystemProgram } from './clock.ts';

/** What every machine whose id has not been made yet says. */
const NOT_MADE_YET = 'uninitialized';

/**
 * What the system calls this machine, the same over restarts and updates and another one on every machine; `null` where it
 * does not say. Never to be kept as it is: some programs take it for a secret.
 */
export function readMachineId(): string | null {
  try {
    const id = askForMachineId();
    return id === '' || id === NOT_MADE_YET ? null : id;
  } catch {
    // Not readable here: the caller says what that means.
    return null;
  }
}

function askForMachineId(): string {
  const { platform } = process;
  if (platform === 'linux') return readFileSync('/etc/machine-id', 'utf8').trim();
  if (platform === 'darwin') {
    const told = askSystemProgram('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
    return /"IOPlatformUUID" = "([^"]+)"/u.exec(told)?.[1] ?? '';
  }
  if (platform !== 'win32') return '';
  const key = String.raw`HKLM\SOFTWARE\Microsoft\Cryptography`;
  const program = `${process.env['SystemRoot'] ?? String.raw`C:\Windows`}\\System32\\reg.exe`;
  const told = askSystemProgram(program, ['query', key, '/v', 'MachineGuid', '/reg:64']);
  return /MachineGuid\s+REG_SZ\s+(\S+)/u.exec(told)?.[1] ?? '';
}
