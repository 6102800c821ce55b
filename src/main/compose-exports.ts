import type { HostPorts } from './host/ports.ts';
import { createLedgerExports } from './ledger/ledger-exports.ts';
import type { LedgerExports } from './ledger/ledger-exports.ts';
import { RecordCheck } from './ledger/record-check.ts';
import { ensureDeviceKey } from './secrets/device-key.ts';
import type { SecretStore } from './secrets/secret-store.ts';

/** The host signs through its own store of keys, also where that is a keychain which no command can open. */
export function composeExports(
  { clock, log }: Pick<HostPorts, 'clock' | 'log'>,
  keys: SecretStore,
  of: {
    readonly profileFolder: string;
    readonly chooseFile?: ((fileName: string) => Promise<string | null>) | undefined;
  },
): LedgerExports {
  return createLedgerExports({
    profileFolder: of.profileFolder,
    nowMs: () => clock.read().wallMs,
    readKey: () => ensureDeviceKey(keys),
    chooseFile: of.chooseFile ?? null,
    failed: (cause) => log({ event: 'export-failed', cause: cause instanceof Error ? (cause.stack ?? '') : '' }),
  });
}

/** Looking through the whole record when a person wants to know whether it is whole. */
export function composeCheck({ clock, log }: Pick<HostPorts, 'clock' | 'log'>, profileFolder: string): RecordCheck {
  return new RecordCheck({
    profileFolder,
    nowMs: () => clock.read().wallMs,
    failed: (cause) => log({ event: 'record-check-failed', cause: cause instanceof Error ? (cause.stack ?? '') : '' }),
  });
}
