import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document, YAMLMap, YAMLSeq } from 'yaml';
import type { NewSchedule } from '../../shared/contract/triggers.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';

interface Strategy {
  readonly triggers?: { readonly schedules?: readonly { readonly id?: unknown }[] };
}

/**
 * The text of a strategy with one more schedule, last of them, under a free name. Everything else stays as the person wrote it, comments too:
 * the text is only added to, and the result is read again and compared before it is handed out. The error is a sentence.
 */
export function addSchedule(source: string, schedule: NewSchedule): Result<string, string> {
  const document = parseDocument(source);
  if (document.errors.length > 0 || !isMap(document.contents)) return err(CANNOT);
  const before = document.toJS({ maxAliasCount: 0 }) as Strategy;
  const added = { id: freeName(before), ...schedule };
  const wanted = withSchedule(before, added);
  const text = isJson(source)
    ? `${JSON.stringify(wanted, null, 2)}\n`
    : (splice(source, document, added) ?? rewrite(document, added));
  return isDeepStrictEqual(parseDocument(text).toJS({ maxAliasCount: 0 }), wanted) ? ok(text) : err(CANNOT);
}

const CANNOT = 'The file of the agent is written in a way that nothing can be added to. Add the schedule in its file.';

function isJson(source: string): boolean {
  return source.trimStart().startsWith('{');
}

function freeName(strategy: Strategy): string {
  const taken = new Set((strategy.triggers?.schedules ?? []).map(({ id }) => id));
  for (let n = 1; ; n += 1) if (!taken.has(`schedule-${n}`)) return `schedule-${n}`;
}

function withSchedule(before: Strategy, added: object): Strategy {
  const { triggers = {} } = before;
  return { ...before, triggers: { ...triggers, schedules: [...(triggers.schedules ?? []), added] } };
}

/** The text with the lines of the schedule put where they belong; `null` where the list is written on one line. */
function splice(source: string, document: Document, added: Readonly<Record<string, string>>): string | null {
  const schedules = document.getIn(['triggers', 'schedules']) as YAMLSeq | undefined;
  if (isSeq(schedules) && !schedules.flow && schedules.items.length > 0) {
    const column = columnOf(source, schedules.range?.[0] ?? 0);
    return withLines(source, schedules.range?.[1] ?? 0, itemLines(added, column));
  }
  if (schedules !== undefined) return null;
  const triggers = document.get('triggers') as YAMLMap | undefined;
  if (isMap(triggers) && !triggers.flow && triggers.items.length > 0) {
    const first = triggers.items[0]?.key;
    if (!isScalar(first) || !first.range) return null;
    const column = columnOf(source, first.range[0]);
    const lines = [`${' '.repeat(column)}schedules:`, ...itemLines(added, column + 2)];
    return withLines(source, triggers.range?.[1] ?? 0, lines);
  }
  if (triggers !== undefined) return null;
  return withLines(source, source.length, ['', 'triggers:', '  schedules:', ...itemLines(added, 4)]);
}

function columnOf(source: string, offset: number): number {
  return offset - (source.lastIndexOf('\n', offset - 1) + 1);
}

function itemLines(added: Readonly<Record<string, string>>, column: number): readonly string[] {
  return Object.entries(added).map(([name, value], index) => {
    const quoted = /^[\w./-]*$/u.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
    return `${' '.repeat(column)}${index === 0 ? '- ' : '  '}${name}: ${quoted}`;
  });
}

/** Puts whole lines behind the line on which something ends. */
function withLines(source: string, endsAt: number, lines: readonly string[]): string {
  const isLineOver = endsAt > 0 && source[endsAt - 1] === '\n';
  const newline = source.indexOf('\n', endsAt);
  const at = isLineOver ? endsAt : newline === -1 ? source.length : newline + 1;
  const head = source.slice(0, at);
  return `${head}${head.endsWith('\n') || head === '' ? '' : '\n'}${lines.join('\n')}\n${source.slice(at)}`;
}

/** The list stands on one line: the library writes the document anew, with its comments. */
function rewrite(document: Document, added: object): string {
  const schedules = document.getIn(['triggers', 'schedules']);
  if (isSeq(schedules)) schedules.add(document.createNode(added));
  else document.setIn(['triggers', 'schedules'], document.createNode([added]));
  return document.toString({ lineWidth: 0 });
}
