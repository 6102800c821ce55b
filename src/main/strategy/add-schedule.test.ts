import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { addSchedule } from './add-schedule.ts';
import { parseStrategy } from './load-strategy.ts';

const samples = join(import.meta.dirname, '..', '..', '..', 'samples');
const NEW = { cron: '0 7 * * *', timeZone: 'Europe/Berlin', missed: 'once' } as const;

function added(source: string): string {
  const result = addSchedule(source, NEW);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

describe('a schedule that is added to a file', () => {
  const files = readdirSync(samples).filter((name) => name.endsWith('.yaml'));

  it.each(files)('takes comments or lines from %s, or makes a strategy of it that cannot be read', (name) => {
    const source = readFileSync(join(samples, name), 'utf8');
    const text = added(source);
    const lines = text.split('\n');
    const more = lines.length - source.split('\n').length;
    expect(more).toBeGreaterThanOrEqual(4);
    // Taking the new lines out again leaves the file as it was.
    const at = lines.findIndex((line, index) => line !== source.split('\n')[index]);
    expect([...lines.slice(0, at), ...lines.slice(at + more)].join('\n')).toBe(source);
    const parsed = parseStrategy(name, text);
    expect(parsed.ok).toBe(true);
    expect(parsed.ok && parsed.value.strategy.triggers.schedules.at(-1)).toMatchObject(NEW);
  });

  it.each([
    {
      hazard: 'is lost after an indented list with a remark at its end',
      text: 'triggers:\n    schedules:\n      - id: a\n        cron: 0 1 * * * # one\nstart: a\n',
    },
    {
      hazard: 'is lost behind a list on the level of its name',
      text: 'triggers:\n  schedules:\n  - id: a\n  files: []\n',
    },
    { hazard: 'is lost where the list stands on one line', text: 'triggers:\n  schedules: [{ id: a }]\nstart: a\n' },
    { hazard: 'is lost where the list is empty', text: 'triggers: { schedules: [] }\nstart: a\n' },
    {
      hazard: 'is lost where there are other triggers',
      text: 'triggers:\n  files:\n    - id: a\n      folder: x\nstart: a',
    },
    {
      hazard: 'is lost after a text of several lines',
      text: 'triggers:\n  schedules:\n    - id: a\n      input:\n        x: |\n          one\n          two\n\nstart: a\n',
    },
    { hazard: 'is lost without an end of the last line', text: 'start: a' },
    { hazard: 'makes YAML of JSON', text: '{ "start": "a" }' },
  ])('$hazard', ({ text }) => {
    const before = parse(text) as { triggers?: { schedules?: unknown[] } };
    const after = parse(added(text)) as { triggers: { schedules: unknown[] } };
    expect(after.triggers.schedules).toEqual([...(before.triggers?.schedules ?? []), { id: 'schedule-1', ...NEW }]);
    expect({ ...after, triggers: { ...after.triggers, schedules: [] } }).toEqual({
      ...before,
      triggers: { ...before.triggers, schedules: [] },
    });
    if (text.startsWith('{')) JSON.parse(added(text));
  });

  it('gets the name of another one', () => {
    const twice = parse(added(added('start: a\n'))) as { triggers: { schedules: { id: string }[] } };
    expect(twice.triggers.schedules.map(({ id }) => id)).toEqual(['schedule-1', 'schedule-2']);
  });

  it('is put into a file that nobody can read', () => {
    expect(addSchedule('a: [', NEW)).toMatchObject({ ok: false });
    expect(addSchedule('- a\n', NEW)).toMatchObject({ ok: false });
  });
});
