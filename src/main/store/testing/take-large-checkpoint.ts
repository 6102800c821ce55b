// Looks at a checkpoint and takes it, of as many entries of so many characters as it is told; prints how many arrived.
import { argv } from 'node:process';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { operationText } from '../../../shared/core/sync/operation.ts';
import { newDeviceKey } from '../../hub/proofs.ts';
import { signHead } from '../../relays/seal/sign-journal.ts';
import { CheckpointReader } from '../checkpoint/read-checkpoint.ts';
import { takeCheckpoint } from '../checkpoint/take-checkpoint.ts';
import { sha256 } from '../connection.ts';
import { openStore } from './store-bench.ts';
import { must } from './temporary-folder.ts';

const [folder = '', count = '1', characters = '1'] = argv.slice(2);
const AUTHOR = 'author' as DeviceId;
const ENTRIES = Number(count);
const { privateKey, publicKey } = newDeviceKey();

/** The lines of the entries, made anew each time: nothing is held. */
function* entries(): Generator<{ readonly line: string; readonly seq: number; readonly opId: string }> {
  let prevHash = '';
  for (let seq = 1; seq <= ENTRIES; seq += 1) {
    const payload = JSON.stringify({ note: `${seq} ${'x'.repeat(Number(characters))}` });
    const operation = { deviceId: AUTHOR, seq, prevHash, epoch: 0, kind: 'test.note', payload };
    const opId = sha256(operationText({ ...operation, time: { wallMs: 1, counter: seq } }));
    yield { seq, opId, line: `${JSON.stringify({ ...operation, opId, wallMs: 1, counter: seq })}\n` };
    prevHash = opId;
  }
}

const head = { seq: 0, opId: '' };
for (const { seq, opId } of entries()) Object.assign(head, { seq, opId });

function* chunks(): Generator<string> {
  yield `${JSON.stringify({ fencepost: 'checkpoint', format: 1, frontier: { [AUTHOR]: ENTRIES } })}\n`;
  const signature = signHead(privateKey, { deviceId: AUTHOR, ...head });
  yield `${JSON.stringify({ head: AUTHOR, ...head, wallMs: 1, counter: ENTRIES, publicKey, signature })}\n`;
  for (const { line } of entries()) yield line;
  yield `${JSON.stringify({ end: ENTRIES + 2 })}\n`;
}

const store = openStore(folder);
const reader = new CheckpointReader();
for (const chunk of chunks()) reader.add(chunk);
const read = reader.end({ [AUTHOR]: ENTRIES });
if (!read.ok) throw new Error(read.error);
const taken = must(await store.write((connection) => takeCheckpoint(connection, read.value, chunks())));
store.close();
console.log(JSON.stringify(taken));
