import { beforeAll, describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { OTHER_DEVICE, withFittingEnd } from '../store/testing/ledger-bench.ts';
import type { LedgerBench } from '../store/testing/ledger-bench.ts';
import { joined, useVerifyBench } from './testing/verify-bench.ts';

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

/** Every way to change the order or the number of lines, with a name. */
function* rearranged(of: readonly string[]): Generator<{ name: string; lines: string[] }> {
  for (const [at, line] of of.entries()) {
    yield { name: `without ${at}`, lines: of.toSpliced(at, 1) };
    yield { name: `twice ${at}`, lines: of.toSpliced(at, 0, line) };
    const next = of[at + 1];
    if (next !== undefined) yield { name: `swapped ${at}`, lines: of.toSpliced(at, 2, next, line) };
    const far = (at * 7 + 3) % of.length;
    const other = of[far];
    if (other !== undefined && far !== at) {
      yield { name: `exchanged ${at} and ${far}`, lines: of.with(at, other).with(far, line) };
    }
  }
}

describe('a change of an exported ledger', { timeout: 300_000 }, () => {
  it('is seen where there is none, or a sound file is not told from one whose keys are known', async () => {
    const unknown = await verified(bytes);
    expect(unknown).toMatchObject({ code: 0, complained: '' });
    expect(unknown.printed).toContain('Nothing wrong was found.');
    expect(unknown.printed).toContain('Keys were taken from the file itself.');
    expect(unknown.printed).toContain(`Device ${OTHER_DEVICE}: 4 entries, signed up to entry 4, the last.`);
    const known = await verified(bytes, keys);
    expect(known.code).toBe(0);
    expect(known.printed).not.toContain('taken from the file');
    expect(known.printed).toContain('signed by the device that exported it');
  });

  it('of any single byte goes unseen', async () => {
    const positions = fc.oneof(
      fc.nat({ max: bytes.length - 1 }),
      // Most of the file is one long text: the rest is looked at as often.
      fc.nat({ max: lines.length - 1 }).chain((at) => {
        const from = Buffer.byteLength(lines.slice(0, at).join('\n')) + (at === 0 ? 0 : 1);
        return fc.nat({ max: Buffer.byteLength(lines[at] ?? '') }).map((within) => from + within);
      }),
    );
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(positions, fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(at) ^ by, at);
        tried += 1;
        expect(await isFound(changed), `byte ${at} by ${by}`).toBe(true);
      }),
      { seed: SEED, numRuns: 400 },
    );
    expect(tried).toBe(400);
  });

  it('of any byte of the last line goes unseen, which no checksum covers', async () => {
    const start = bytes.length - Buffer.byteLength(lines.at(-1) ?? '') - 1;
    for (let at = start; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
      expect(await isFound(changed), `byte ${at - start}`).toBe(true);
    }
  });

  it('by leaving out, doubling or moving a line goes unseen, or by cutting the file anywhere', async () => {
    let tried = 0;
    for (const { name, lines: changed } of rearranged(lines)) {
      expect(await isFound(joined(changed)), name).toBe(true);
      tried += 1;
    }
    for (let length = 0; length < lines.length; length += 1) {
      expect(await isFound(joined(lines.slice(0, length))), `cut after ${length}`).toBe(true);
    }
    expect(await isFound(bytes.subarray(0, -1)), 'without the last line feed').toBe(true);
    expect(await isFound(Buffer.concat([bytes, Buffer.from('\n')])), 'an empty line more').toBe(true);
    expect(tried).toBeGreaterThan(100);
  });
});

describe('somebody without the key', { timeout: 300_000 }, () => {
  it('changes an entry, a text or a key and makes the checksum fit again', async () => {
    expect(withFittingEnd(lines).equals(bytes)).toBe(true);
    const inner = lines.slice(0, -1);
    const place = fc
      .nat({ max: inner.length - 1 })
      .chain((line) => fc.record({ line: fc.constant(line), at: fc.nat({ max: (inner[line] ?? '').length - 1 }) }));
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom('0', '1', 'a', 'b', ' ', '"'), async ({ line, at }, by) => {
        const before = lines[line] ?? '';
        const after = before.slice(0, at) + by + before.slice(at + 1);
        fc.pre(after !== before);
        const changed = withFittingEnd(lines.with(line, after));
        expect(await isFound(changed), `line ${line} at ${at}`).toBe(true);
        // What the first line says of time and place only the signature of the file covers.
        const unsigned = withFittingEnd(lines.with(line, after), { keepsSignature: false });
        expect(await isFound(unsigned, keys), `unsigned line ${line} at ${at}`).toBe(true);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('leaves out, doubles or moves a line and makes the checksum fit again', async () => {
    let tried = 0;
    for (const { name, lines: changed } of rearranged(lines.slice(0, -1))) {
      const withEnd = [...changed, lines.at(-1) ?? ''];
      expect(await isFound(withFittingEnd(withEnd)), name).toBe(true);
      expect(await isFound(withFittingEnd(withEnd, { keepsSignature: false }), keys), `${name}, unsigned`).toBe(true);
      tried += 1;
    }
    expect(tried).toBeGreaterThan(100);
  });
});

describe('a file that is not signed as a whole', { timeout: 300_000 }, () => {
  /** Lines of journals: ids, digests and signatures alone cover them. */
  const covered = (): number[] =>
    lines.flatMap((line, at) => (/"payload":|"body":|"seq":\d+,"signature":/u.test(line) && at > 0 ? [at] : []));
  const unsigned = (changed: readonly string[]): Buffer => withFittingEnd(changed, { keepsSignature: false });

  it('is changed in an entry, a text or a signature, and the keys in the file itself do not tell', async () => {
    expect(await isFound(unsigned(lines))).toBe(false);
    const places = covered();
    expect(places.length).toBeGreaterThan(40);
    const place = fc
      .constantFrom(...places)
      .chain((line) => fc.record({ line: fc.constant(line), at: fc.nat({ max: (lines[line] ?? '').length - 1 }) }));
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom('0', '1', 'a', 'b', '-', '"'), async ({ line, at }, by) => {
        const before = lines[line] ?? '';
        const after = before.slice(0, at) + by + before.slice(at + 1);
        fc.pre(after !== before);
        expect(await isFound(unsigned(lines.with(line, after))), `line ${line} at ${at}`).toBe(true);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('says the same thing in another way, or something besides', async () => {
    for (const line of covered()) {
      const text = lines[line] ?? '';
      const others = [` ${text}`, text.replace(':', ': '), `{"a":1,${text.slice(1)}`, `{"device":"x",${text.slice(1)}`];
      for (const other of [...others, `${text}\r`, `\uFEFF${text}`]) {
        expect(await isFound(unsigned(lines.with(line, other))), other.slice(0, 40)).toBe(true);
      }
    }
  });

  it('has a text of its own instead of the one that an entry refers to', async () => {
    const at = lines.findIndex((line) => line.startsWith('{"body":'));
    const { text } = JSON.parse(lines[at] ?? '{}') as { text: string };
    const report = await reported(unsigned(lines.with(at, JSON.stringify({ body: 'another', text }))));
    expect(report.findings).toMatchObject([
      { line: at + 1, sentence: expect.stringContaining('does not fit its SHA-256') },
    ]);
  });

  it('has an entry that its author never wrote, behind the same id', async () => {
    const at = lines.findIndex((line) => line.includes('"kind":"trigger.fired"'));
    const entry = JSON.parse(lines[at] ?? '{}') as { counter: number; seq: number };
    const report = await reported(unsigned(lines.with(at, JSON.stringify({ ...entry, counter: entry.counter + 1 }))));
    expect(report.findings).toMatchObject([{ line: at + 1, device: profile.ownId }]);
    expect(report.findings[0]?.sentence).toContain(`Entry ${entry.seq} was changed`);
  });

  it('has a signature that belongs to nothing in it', async () => {
    const at = lines.findIndex((line) => /"seq":2,"signature":/u.test(line));
    const signature = JSON.parse(lines[at] ?? '{}') as object;
    const later = JSON.parse(lines.findLast((line) => /"seq":4,"signature":/u.test(line)) ?? '{}') as {
      signature: string;
    };
    const swapped = JSON.stringify({ ...signature, signature: later.signature });
    const report = await reported(unsigned(lines.with(at, swapped)));
    expect(report.findings).toMatchObject([{ line: at + 1, device: OTHER_DEVICE }]);
    expect(report.findings[0]?.sentence).toContain('did not make');
  });
});
