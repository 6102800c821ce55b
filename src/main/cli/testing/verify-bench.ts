import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { AWKWARD_TEXT, exportedBy, makeLedger, OTHER_DEVICE } from '../../store/testing/ledger-bench.ts';
import type { LedgerBench } from '../../store/testing/ledger-bench.ts';
import { verifyCommand } from '../verify-command.ts';
import type { LedgerReport } from '../verify-ledger.ts';

/** What a report of a sound file ends with. */
const NOTHING_WRONG = 'Nothing wrong was found.';

/** An export of a profile in which something happened, made once for all tests of a file. */
class VerifyBench {
  readonly folder: string;
  readonly profile: LedgerBench;
  readonly bytes: Buffer;
  /** Without their line feeds. */
  readonly lines: readonly string[];
  /** The arguments that name the keys of both devices. */
  readonly keys: readonly string[];

  private constructor(folder: string, profile: LedgerBench, bytes: Buffer) {
    this.folder = folder;
    this.profile = profile;
    this.bytes = bytes;
    this.lines = bytes.toString('utf8').split('\n').slice(0, -1);
    const own = `${profile.ownId}=${profile.ownPublicKey}`;
    this.keys = ['--key', own, '--key', `${OTHER_DEVICE}=${profile.otherPublicKey}`];
  }

  static async make(): Promise<VerifyBench> {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-verify-'));
    const profileFolder = join(folder, 'profile');
    mkdirSync(profileFolder);
    const profile = await makeLedger(profileFolder, AWKWARD_TEXT.repeat(20));
    return new VerifyBench(folder, profile, (await exportedBy(profileFolder)).bytes);
  }

  async verified(content: Buffer, args: readonly string[] = []) {
    const file = join(this.folder, 'ledger.jsonl');
    writeFileSync(file, content);
    return await command([file, ...args]);
  }

  async reported(content: Buffer, args: readonly string[] = []): Promise<LedgerReport> {
    const { printed, code } = await this.verified(content, ['--json', ...args]);
    const report = JSON.parse(printed) as LedgerReport;
    expect(code).toBe(report.isSound ? 0 : 1);
    return report;
  }

  /** Whether something wrong was found, and said. */
  async isFound(content: Buffer, args: readonly string[] = []): Promise<boolean> {
    const { code, printed } = await this.verified(content, args);
    expect([0, 1]).toContain(code);
    expect(printed.includes(NOTHING_WRONG)).toBe(code === 0);
    return code === 1;
  }
}

/** One for all tests of a file, gone after them. */
export function useVerifyBench(): () => VerifyBench {
  let bench: VerifyBench | null = null;
  beforeAll(async () => {
    bench = await VerifyBench.make();
  });
  afterAll(() => {
    if (bench !== null) rmSync(bench.folder, { recursive: true, force: true });
  });
  return () => {
    if (bench === null) throw new Error('The bench is made before the tests.');
    return bench;
  };
}

/** What the command printed, and how it ended. */
export async function command(args: readonly string[]) {
  let [printed, complained] = ['', ''];
  const code = await verifyCommand({
    args,
    print: (text) => void (printed += text),
    printError: (text) => void (complained += text),
  });
  return { code, printed, complained };
}

/** The lines as a file. */
export function joined(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
