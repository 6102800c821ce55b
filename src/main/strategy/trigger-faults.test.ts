import { describe, expect, it } from 'vitest';
import { parseStrategy } from './load-strategy.ts';

function problems(triggers: string): string[] {
  const text = `fencepost: 1\nid: one\nname: One\ninput: { file: { title: File } }\nstart: end\nstates: { end: { type: done } }\ntriggers:\n${triggers}\n`;
  const parsed = parseStrategy('strategy.yaml', text);
  return parsed.ok ? [] : parsed.error.map(({ line, field, message }) => `${line} ${field}: ${message}`);
}

describe('a trigger that could never work', () => {
  it.each([
    [`  schedules: [{ id: a, cron: '61 7 * * *', timeZone: UTC }]`, '8 triggers.schedules.0.cron'],
    [`  schedules: [{ id: a, cron: '0 0 31 2 *', timeZone: UTC }]`, 'never comes'],
    [`  schedules: [{ id: a, cron: '0 7 * * *', timeZone: Mars/Base }]`, '8 triggers.schedules.0.timeZone'],
    [`  schedules: [{ id: a, cron: '0 7 * * *', timeZone: UTC, input: { other: x } }]`, 'no input called "other"'],
    [`  files: [{ id: a, folder: /tmp, as: path }]`, 'triggers.files.0.as: This agent takes no input called "path"'],
    [`  afterRuns: [{ id: a, agent: one }]`, 'would never stop'],
    [`  webhooks: [{ id: a, secret: k }, { id: a, secret: k }]`, 'There is another one called "a"'],
  ])('%s is taken without a word', (triggers, words) => {
    expect(problems(triggers).join('\n')).toContain(words);
  });

  it('is seen in one that works', () => {
    expect(problems(`  files: [{ id: a, folder: /tmp, as: file }]\n  afterRuns: [{ id: a, agent: other }]`)).toEqual(
      [],
    );
    expect(
      problems(`  schedules: [{ id: a, cron: '0 7 * * 1-5', timeZone: Europe/Berlin, input: { file: x } }]`),
    ).toEqual([]);
  });
});
