import { parseArgs } from 'node:util';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { errorCodeOf } from '../store/disk.ts';
import type { JournalReport } from './check-journal.ts';
import { verifyLedger } from './verify-ledger.ts';
import type { LedgerReport } from './verify-ledger.ts';

/** The exit codes of `fencepost verify`; the last is that of `sysexits.h` for input that cannot be read. */
const EXIT = { sound: 0, found: 1, usage: 2, unreadable: 66 } as const;
/** An Ed25519 key, raw, base64url. */
const PUBLIC_KEY = /^[\w-]{43}$/u;

interface VerifyCommand {
  readonly args: readonly string[];
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

/** `fencepost verify`: checks an exported ledger on any machine, without a profile. Answers the exit code. */
export async function verifyCommand({ args, print, printError }: VerifyCommand): Promise<number> {
  const asked = readArguments(args);
  if (typeof asked === 'string') {
    printError(`${asked}\nSee: fencepost help\n`);
    return EXIT.usage;
  }
  let report: LedgerReport;
  try {
    report = await verifyLedger(asked.file, asked.pins);
  } catch (cause) {
    // Only the disk: what is wrong in the file is a finding.
    const code = errorCodeOf(cause);
    if (!/^E[A-Z]+$/u.test(code)) throw cause;
    printError(`The file ${asked.file} cannot be read (${code}).\nCheck its name and permissions.\n`);
    return EXIT.unreadable;
  }
  print(asked.json ? `${JSON.stringify(report)}\n` : reportText(report));
  return report.isSound ? EXIT.sound : EXIT.found;
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, key: { type: 'string', multiple: true, default: [] } },
    });
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) return 'Name one file that was written by fencepost export.';
    const pins = new Map<string, string>();
    for (const each of values.key) {
      // The name of a device may have the sign in it, a key has not.
      const at = each.lastIndexOf('=');
      const [device, publicKey] = [each.slice(0, Math.max(at, 0)), each.slice(at + 1)];
      if (device === '' || !PUBLIC_KEY.test(publicKey)) {
        return '--key has to be DEVICE=PUBLICKEY, with the key as fencepost verify shows it on that device.';
      }
      if (pins.has(device)) return `--key was given twice for ${device}.`;
      pins.set(device, publicKey);
    }
    return { file, json: values.json, pins };
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

/** What the file says is foreign text: nothing of it may hide, or move the words around it. */
function reportText(report: LedgerReport): string {
  const { ofDevice, journals, findings, findingCount } = report;
  const device = ofDevice === null ? 'an unknown device' : `device ${visibleText(ofDevice)}`;
  const at = report.exportedAtMs === null ? '' : `, ${timeText(report.exportedAtMs)}`;
  const lines = [
    `Ledger exported by ${device}${at}: ${counted(report.lines, 'line')}, ${counted(report.texts, 'long text')}.`,
  ];
  lines.push(
    ...partText(report),
    '',
    ...journals.flatMap(journalText),
    fileSignatureText(report),
    ...keysText(report),
    '',
  );
  if (findingCount === 0) lines.push('Nothing wrong was found.');
  else {
    lines.push(`${counted(findingCount, 'problem')} found:`);
    for (const { line, device: about, sentence } of findings) {
      const where = [...(line === null ? [] : [`line ${line}`]), ...(about === null ? [] : [visibleText(about)])];
      lines.push(`  ${where.length === 0 ? 'file' : where.join(', ')}: ${sentence}`);
    }
    if (findingCount > findings.length) lines.push(`  and ${findingCount - findings.length} more.`);
  }
  return `${lines.join('\n')}\n`;
}

function partText({ onlyAgent, onlyRun, onlyFromMs, onlyUntilMs }: LedgerReport): string[] {
  const about = [
    ...(onlyAgent === null ? [] : [`agent ${visibleText(onlyAgent)}`]),
    ...(onlyRun === null ? [] : [`run ${visibleText(onlyRun)}`]),
  ];
  const time = [
    ...(onlyFromMs === null ? [] : [`from ${timeText(onlyFromMs)}`]),
    ...(onlyUntilMs === null ? [] : [`before ${timeText(onlyUntilMs)}`]),
  ];
  if (about.length === 0 && time.length === 0) return [];
  const which = [...(about.length === 0 ? [] : [`about ${about.join(' and ')}`]), ...time].join(' ');
  return [
    `Only entries ${which} are there in full. Of the others the file gives ids, which cannot be computed again:`,
    'that nothing which was asked for is missing rests on the signature of the file.',
  ];
}

function journalText(journal: JournalReport): string[] {
  const { entries, stubs, condensed, proven, signedUpTo, publicKey, isPinned } = journal;
  const last = entries + stubs + condensed;
  const ids = stubs === 0 ? '' : ` and ${counted(stubs, 'id')}`;
  const signed =
    signedUpTo === 0
      ? 'not signed'
      : `signed up to entry ${signedUpTo}${signedUpTo === last ? ', the last' : ` of ${last}`}`;
  const open = entries - proven;
  const unproven =
    open === 0 || signedUpTo === 0 ? '' : `; ${counted(open, 'entry', 'entries')} not proven by a signature`;
  return [
    `Device ${visibleText(journal.device)}: ${counted(entries, 'entry', 'entries')}${ids}, ${signed}${unproven}.`,
    ...(condensed === 0
      ? []
      : [
          `  ${counted(condensed, 'entry', 'entries')} of runs that ended long ago were condensed before the export: what the others say`,
          '  about those runs is checked one by one, and the chain goes on behind them.',
        ]),
    publicKey === null
      ? '  No key.'
      : `  Key ${publicKey} (${isPinned ? 'given with --key' : 'taken from the file itself'}).`,
  ];
}

function fileSignatureText({ fileSignature }: LedgerReport): string {
  const said = {
    pinned: 'The file as a whole is signed by the device that exported it.',
    'from-file': 'The file as a whole is signed, with the key that it names itself.',
    none: 'The file as a whole is not signed: entries at the end of a journal could have been left out.',
    invalid: 'The file as a whole has a signature that is not valid.',
  };
  return said[fileSignature];
}

function keysText({ journals }: LedgerReport): string[] {
  if (journals.every((journal) => journal.publicKey === null)) return ['Without a key nobody can tell who wrote it.'];
  if (journals.every((journal) => journal.isPinned)) return [];
  return [
    'Keys were taken from the file itself. Whoever made up a whole file could have made up its keys too: compare them with those',
    'that you know from the devices, or give them with --key DEVICE=PUBLICKEY.',
  ];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Any whole number may stand in a file, and not each is a time. */
function timeText(wallMs: number): string {
  const at = new Date(wallMs);
  return Number.isNaN(at.getTime()) ? `at an impossible time (${wallMs})` : at.toISOString();
}
