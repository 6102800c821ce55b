// A hub in a process of its own, which the run stops and kills like any client.
import { openSqliteDevices } from '../../src/main/coordinators/sqlite/sqlite-devices.ts';
import { openHubRegister } from '../../src/main/coordinators/sqlite/hub-register.ts';
import { ensureHubCertificate } from '../../src/main/hub/certificate.ts';
import { startHub } from '../../src/main/hub/start-hub.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { Result } from '../../src/shared/lib/result.ts';

function must<Value>(result: Result<Value, Problem>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const [folder = '', port = '0', host = '127.0.0.1'] = process.argv.slice(2);
const backend = must(await openHubRegister({ folder, version: '0.0.0-test' }));
const devices = must(openSqliteDevices(folder));
const certificate = must(ensureHubCertificate(folder));
const of = { backend, devices, certificate, host, port: Number(port), name: 'Test hub' };
const hub = must(await startHub({ ...of, log: { write: () => undefined } }));
// Asked for its calendar, it tells it.
process.on('message', () => process.send?.({ wallMs: Date.now() }));
process.on('disconnect', () => process.exit(0));
process.send?.({ port: hub.port, identity: backend.identity });
