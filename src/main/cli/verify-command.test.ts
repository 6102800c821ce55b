import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { newDeviceKey } from '../hub/proofs.ts';
import { signLedger } from '../store/ledger-signature.ts';
import { withFittingEnd } from '../store/testing/ledger-bench.ts';
import type { LedgerBench } from '../store/testing/ledger-bench.ts';
import { command, joined, useVerifyBench } from './testing/verify-bench.ts';

const SEED = 20_261_130;
const bench = useVerifyBench();
let bytes: Buffer;
let lines: readonly string[];
let keys: readonly string[];
let profile: LedgerBench;
beforeAll(() => ({ bytes, lines, keys, profile } = bench()));
const isFound = (content: Buffer, args: readonly string[] = []) => bench().isFound(content, args);
const reported = (content: Buffer, args: readonly string[] = []) => bench().reported(content, args);
const verified = (content: Buffer, args: readonly string[] = []) => bench().verified(content, args);

describe('a whole file that somebody made up', () => {
  it('takes all signatures away, or signs with a key of its own', async () => {
    const bare = lines.filter((line) => !line.includes('"signature"') || line.includes('"sha256"'));
    const unsigned = withFittingEnd(bare, { keepsSignature: false });
    // Without a known key that is an honest file of a device whose key could not be read, and is called so.
    const report = await reported(unsigned);
    expect(report).toMatchObject({ isSound: true, fileSignature: 'none' });
    expect(report.journals.map((journal) => [journal.signedUpTo, journal.proven])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect((await verified(unsigned)).printed).toContain(
      'not signed: entries at the end of a journal could have been left',
    );
    const pinned = await reported(unsigned, keys);
    expect(pinned.findings.map((finding) => finding.sentence)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('are not signed, although'),
        expect.stringContaining('file is not signed'),
      ]),
    );
    const thief = newDeviceKey();
    const forged = lines.map((line) => line.replaceAll(profile.ownPublicKey, thief.publicKey));
    const before = joined(forged.slice(0, -1));
    const sha256 = createHash('sha256').update(before).digest('hex');
    const signature = signLedger(thief.privateKey, { deviceId: profile.ownId, sha256 });
    const end = { ...(JSON.parse(lines.at(-1) ?? '{}') as object), sha256, signature };
    const stolen = Buffer.concat([before, joined([JSON.stringify(end)])]);
    expect((await reported(stolen)).fileSignature).toBe('from-file');
    expect((await reported(stolen, keys)).findings[0]?.sentence).toContain('not the one that was given with --key');
  });

  it('gives ids instead of entries that were asked for', async () => {
    const at = lines.findIndex(
      (line) => line.includes('"kind":"run.ended"') || line.includes('"kind":"settle.recorded"'),
    );
    const { device, seq, prev, id } = JSON.parse(lines[at] ?? '{}') as Record<string, unknown>;
    const hidden = withFittingEnd(lines.with(at, JSON.stringify({ device, id, prev, seq })), { keepsSignature: false });
    expect(at).toBeGreaterThan(0);
    const { findings } = await reported(hidden);
    expect(findings).toEqual([
      {
        line: at + 1,
        device: profile.ownId,
        sentence: `What entry ${String(seq)} says was left out, and the file claims to have all.`,
      },
    ]);
  });
});

describe('a file that is no ledger', { timeout: 300_000 }, () => {
  it('brings the check down, or is called sound', async () => {
    const broken = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each)),
      fc.string({ unit: 'binary' }).map((each) => Buffer.from(each)),
      fc.array(fc.json(), { maxLength: 5 }).map(joined),
      fc
        .record({
          at: fc.nat({ max: lines.length - 1 }),
          said: fc.oneof(
            fc.json(),
            fc.jsonValue().map((each) => JSON.stringify({ device: each })),
          ),
        })
        .map(({ at, said }) => withFittingEnd(lines.slice(0, 12).with(at % 12, said))),
      fc
        .record({ from: fc.nat({ max: bytes.length }), length: fc.nat({ max: 3_000 }) })
        .map(({ from, length }) =>
          Buffer.concat([bytes.subarray(0, from % 9_000), bytes.subarray(from, from + length)]),
        ),
    );
    await fc.assert(
      fc.asyncProperty(broken, async (content) => {
        expect(await isFound(content)).toBe(true);
        expect(await isFound(content, keys)).toBe(true);
      }),
      { seed: SEED, numRuns: 500 },
    );
    for (const deep of ['['.repeat(2_000_000), `{"a":`.repeat(500_000)]) {
      expect(await isFound(Buffer.from(`${deep}\n`))).toBe(true);
      const entry = { counter: 0, device: profile.ownId, epoch: 0, id: 'a'.repeat(64), kind: 'x', payload: deep };
      expect(await isFound(joined([lines[0] ?? '', JSON.stringify({ ...entry, prev: '', seq: 1, wallMs: 0 })]))).toBe(
        true,
      );
    }
  });

  it('moves the words of the report, or floods it', async () => {
    const header = JSON.parse(lines[0] ?? '{}') as object;
    const said = JSON.stringify({ ...header, ofDevice: 'a\u202Eb', onlyRun: '\u001B[2J', exportedAtMs: 9e15 });
    const { printed } = await verified(joined([said, ...Array.from({ length: 5_000 }, () => 'x')]));
    expect(printed).toContain('a[U+202E]b');
    expect(printed).toContain('[U+001B][2J');
    expect(printed).toContain('impossible time');
    expect(printed).toMatch(/and \d{4} more\./u);
    expect(printed.split('\n').length).toBeLessThan(130);
  });
});

describe('the command', () => {
  it('ends as if all were well when it was called wrongly or cannot read', async () => {
    for (const args of [[], ['a', 'b'], ['a', '--what'], ['a', '--key', 'x'], ['a', '--key', `=${'A'.repeat(43)}`]]) {
      expect((await command(args)).code, args.join(' ')).toBe(2);
    }
    expect((await command([join(bench().folder, 'a'), ...keys.slice(0, 2), ...keys.slice(0, 2)])).complained).toContain(
      'twice',
    );
    expect(await command([join(bench().folder, 'nowhere')])).toMatchObject({ code: 66, printed: '' });
    expect(await command([bench().folder])).toMatchObject({ code: 66, printed: '' });
    const missing = await reported(bytes, ['--key', `third=${profile.ownPublicKey}`]);
    expect(missing.findings).toMatchObject([{ device: 'third', line: null }]);
  });
});
