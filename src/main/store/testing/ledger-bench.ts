import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { Receiver } from '../../../../test/harness/receiver.ts';
import { deviceIdSchema } from '../../../shared/contract/identifiers.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { operationText, payloadText } from '../../../shared/core/sync/operation.ts';
import type { Operation } from '../../../shared/core/sync/operation.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { exportCommand } from '../../cli/export-command.ts';
import { composeDeviceKeys } from '../../compose-secrets.ts';
import { HostBench, twoSteps } from '../../host/testing/host-bench.ts';
import { newDeviceKey, publicKeyOf } from '../../hub/proofs.ts';
import { signHead } from '../../relays/seal/sign-journal.ts';
import { ensureDeviceKey } from '../../secrets/device-key.ts';
import { change, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { foldOperations } from '../transactions/fold-operations.ts';
import { deviceIdOf, openStore } from './store-bench.ts';
import { must } from './temporary-folder.ts';

/** The device whose journal came over a relay. */
export const OTHER_DEVICE = deviceIdSchema.parse('other device');
/** NUL, a right-to-left override, an emoji, a line separator: text that programs like to lose. */
export const AWKWARD_TEXT = 'a\u0000b\u202Egpj.exe\u202C\uD83D\uDE00\u2028\\"';
/** Of 5 MiB, which is kept beside the journal. */
export const LONG_TEXT = `${AWKWARD_TEXT}${'ä'.repeat((5 * 1_048_576) / 2)}`;
/** What the last entry of the other device says. */
const LAST_PAYLOAD: Json = { note: AWKWARD_TEXT };

/** A profile in which two runs ended, with the journal of another device beside its own. */
export interface LedgerBench {
  readonly folder: string;
  readonly ownId: string;
  readonly ownKey: string;
  readonly ownPublicKey: string;
  readonly otherPublicKey: string;
}

/** Makes one. Its long text is shorter where a test makes hundreds of copies. */
export async function makeLedger(folder: string, longText = LONG_TEXT): Promise<LedgerBench> {
  const receiver = await Receiver.start();
  const host = await HostBench.start(folder);
  for (const agentId of ['apple', 'pear']) {
    await host.ended(await host.run(await host.agent(twoSteps(agentId, receiver.origin)), agentId));
  }
  await host.close();
  await receiver.close();
  const other = newDeviceKey();
  const ownKey = must(await ensureDeviceKey(await composeDeviceKeys(folder, {})));
  const store = openStore(folder);
  must(
    await store.write((connection) => {
      // As the journal keeps what is long, whatever its length is here.
      const text = { digest: sha256(longText), bytes: Buffer.byteLength(longText), inline: null };
      change(connection.db, 'INSERT INTO blobs (digest, body) VALUES (?,?)', text.digest, longText);
      const payloads: Json[] = [{ output: text }, { again: [text] }, { note: 'ä' }, LAST_PAYLOAD];
      addJournal(connection, OTHER_DEVICE, payloads);
      const { db } = connection;
      change(db, 'INSERT INTO journal_keys (device_id, public_key) VALUES (?,?)', OTHER_DEVICE, other.publicKey);
      for (const seq of [2, 4]) {
        const [row] = db
          .prepare('SELECT op_id FROM ops WHERE device_id = ? AND journal_seq = ?')
          .all(OTHER_DEVICE, seq) as {
          op_id: string;
        }[];
        const opId = row?.op_id ?? '';
        const signature = signHead(other.privateKey, { deviceId: OTHER_DEVICE, seq, opId });
        const sql = 'INSERT INTO signatures (device_id, journal_seq, op_id, signature) VALUES (?,?,?,?)';
        change(db, sql, OTHER_DEVICE, seq, opId, signature);
      }
    }),
  );
  const ownId = deviceIdOf(store);
  store.close();
  return { folder, ownId, ownKey, ownPublicKey: publicKeyOf(ownKey), otherPublicKey: other.publicKey };
}

/** Entries of a kind that no version knows yet, folded in as a relay would bring them. */
export function addJournal(connection: Connection, deviceId: DeviceId, payloads: readonly Json[]): void {
  const operations: Operation[] = [];
  for (const [index, said] of payloads.entries()) {
    const prevHash = operations.at(-1)?.opId ?? '';
    const time = { wallMs: 1_000 + index, counter: index % 3 };
    const of = {
      deviceId,
      seq: index + 1,
      prevHash,
      time,
      epoch: index % 2,
      kind: 'note.kept',
      payload: payloadText(said),
    };
    operations.push({ ...of, opId: sha256(operationText(of)) });
  }
  const folded = foldOperations(connection, deviceId, operations);
  if (folded.kind !== 'folded' || folded.count !== payloads.length) throw new Error(JSON.stringify(folded));
}

/** What the command wrote, how it ended, and what it said. */
export async function exportedBy(folder: string, args: readonly string[] = []) {
  const parts: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk);
      done();
    },
  });
  let said = '';
  const printError = (text: string): void => void (said += text);
  const code = await exportCommand({ args, profileFolder: folder, nowMs: 1_000, output, printError });
  return { code, bytes: Buffer.concat(parts), said };
}

/** The lines again as a file, with a last line that counts them and fits them, as somebody without any key can write it. */
export function withFittingEnd(lines: readonly string[], { keepsSignature = true } = {}): Buffer {
  const [said = '{}'] = lines.slice(-1);
  const before = lines
    .slice(0, -1)
    .map((line) => `${line}\n`)
    .join('');
  const has = (member: string) =>
    lines.slice(0, -1).filter((line) => new RegExp(`(?:^\\{|,)"${member}":`, 'u').test(line)).length;
  const entries = has('payload');
  const signatures = has('signature');
  const sum = createHash('sha256').update(before).digest('hex');
  const { signature } = JSON.parse(said) as { signature: string | null };
  const end = {
    entries,
    sha256: sum,
    signature: keepsSignature ? signature : null,
    signatures,
    stubs: has('prev') - entries,
    texts: has('body'),
  };
  return Buffer.from(`${before}${JSON.stringify(end)}\n`);
}
