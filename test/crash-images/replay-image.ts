// Makes one image again and says what is wrong with it: node replay-image.ts <log> <kind> <cut> <style> <seed>
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcknowledgedFacts } from './acknowledged.ts';
import { isDurableState } from './check-image.ts';
import { readDiskLog } from './disk-log.ts';
import { DiskModel } from './disk-model.ts';
import type { ImageStyle } from './disk-model.ts';
import { judgeImage, liveThrough } from './judge-images.ts';
import type { JudgeOptions } from './judge-images.ts';
import { Random } from '../harness/random.ts';

const [log = '', kind = 'host', cut = '0', style = 'synced', seed = '0'] = process.argv.slice(2);
const disk = new DiskModel(isDurableState);
const facts = new AcknowledgedFacts();
const operations = readDiskLog(log);
for (const operation of operations.slice(0, Number(cut))) liveThrough(operation, disk, facts);
for (const operation of operations.slice(Math.max(0, Number(cut) - 12), Number(cut) + 3)) {
  const { kind: what } = operation;
  process.stdout.write(
    what === 'mark'
      ? `  said ${operation.text}\n`
      : `  ${what} ${operation.path} ${what === 'write' ? `${operation.offset}+${operation.data.length}` : ''}\n`,
  );
}
const name = { cut: Number(cut), style: style as ImageStyle, seed: Number(seed) };
const image = disk.image(name.style, new Random(name.seed, 'images'));
const folder = mkdtempSync(join(tmpdir(), 'fencepost-replay-'));
const untouched = mkdtempSync(join(tmpdir(), 'fencepost-replay-'));
image.write(untouched);
const findings = await judgeImage(image, { folder, facts, name, kind: kind as JudgeOptions['kind'] });
process.stdout.write(`${facts.count} facts acknowledged in phase "${facts.phase}"; the image is in ${untouched}\n`);
for (const finding of findings) process.stdout.write(`${finding.kind}: ${finding.text}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
