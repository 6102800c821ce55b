import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { openPostgresCoordinator } from '../coordinators/postgres/postgres-coordinator.ts';
import { installPostgresRegister } from '../coordinators/postgres/postgres-install.ts';
import { parsePostgresUrl } from '../coordinators/postgres/postgres-options.ts';
import { openPostgresDevices } from '../hub/postgres-devices.ts';
import { runHub } from '../hub/run-hub.ts';
import type { RunHubOptions } from '../hub/run-hub.ts';

const DEFAULT_PORT = 7_411;
const USAGE = 2;

interface HubCommand {
  readonly args: readonly string[];
  readonly version: string;
  /** Where its data is unless another folder is named. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** `fencepost hub`: answers the exit code. */
export async function hubCommand({ args, version, folder, env }: HubCommand): Promise<number> {
  const asked = readArguments(args);
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\nSee: fencepost help\n`);
    return USAGE;
  }
  const backend = await openBackend(asked.postgres, env);
  if (!backend.ok) {
    process.stderr.write(`${backend.error.message}\n${backend.error.wayOut}\n`);
    return 1;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return runHub({
    version,
    folder: asked.folder === undefined ? folder : path.resolve(asked.folder),
    host: asked.host,
    port: asked.port,
    addresses: asked.address,
    ...(asked.name === undefined ? {} : { name: asked.name }),
    ...(backend.value === null ? {} : { backend: backend.value }),
    print: (text) => void process.stdout.write(text),
    input: process.stdin,
    signal: stop.signal,
    isInteractive: process.stdin.isTTY || asked.interactive,
  });
}

function readArguments(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        folder: { type: 'string' },
        host: { type: 'string', default: '0.0.0.0' },
        port: { type: 'string', default: String(DEFAULT_PORT) },
        name: { type: 'string' },
        address: { type: 'string', multiple: true, default: [] },
        postgres: { type: 'string' },
        /** Commands are read although the input is no terminal. */
        interactive: { type: 'boolean', default: false },
      },
    });
    const port = Number(values.port);
    if (!/^\d{1,5}$/u.test(values.port) || port > 65_535) return '--port has to be a number from 0 to 65535.';
    return { ...values, port };
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

async function openBackend(
  url: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Result<NonNullable<RunHubOptions['backend']> | null, Problem>> {
  if (url === undefined) return ok(null);
  const address = parsePostgresUrl(url);
  if (!address.ok) return address;
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(address.value.host);
  const options = {
    name: 'PostgreSQL',
    address: address.value,
    password: env['FENCEPOST_POSTGRES_PASSWORD'] ?? null,
    tls: isHere ? ({ kind: 'off' } as const) : ({ kind: 'verified', caPem: null, client: null } as const),
  };
  const installed = await installPostgresRegister(options);
  if (!installed.ok) return installed;
  const coordinator = await openPostgresCoordinator(options);
  if (!coordinator.ok) return coordinator;
  const devices = await openPostgresDevices(options);
  if (devices.ok) return ok({ coordinator: coordinator.value, devices: devices.value });
  await coordinator.value.close();
  return err(devices.error);
}
