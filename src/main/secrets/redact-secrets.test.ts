import { describe, expect, test } from 'vitest';
import { createRedactor } from './redact-secrets.ts';

const value = 'pa$$ "wörd"/+.*\\ 1';
const { text, json } = createRedactor([{ name: 'key', value }]);

describe('a value is seen', () => {
  test.each([
    ['as it is', value],
    ['twice', `${value} ${value}`],
    ['in base64', Buffer.from(value).toString('base64')],
    ['in base64 for URLs', Buffer.from(value).toString('base64url')],
    ['percent-encoded', encodeURIComponent(value)],
    ['percent-encoded in lower case', encodeURIComponent(value).replaceAll(/%../gu, (code) => code.toLowerCase())],
    ['as a form field', new URLSearchParams({ a: value }).toString().slice(2)],
    ['in JSON', JSON.stringify({ a: value })],
    ['in JSON within JSON', JSON.stringify({ a: JSON.stringify({ b: value }) })],
    ['in JSON without other letters than ASCII', JSON.stringify(value).replaceAll('ö', String.raw`\u00f6`)],
  ])('%s', (_, given) => {
    const shown = text(`<${given}>`);
    expect(shown).toContain('[secret key]');
    expect(shown).not.toMatch(/w|W|JC|d29|%24/u);
  });

  test.each(['', 'a', 'ab', 'user:', 'a:b:c'])(
    'in base64 behind %j, as in a header for a name and a password',
    (before) => {
      const secret = 'correct-horse-battery';
      const redactor = createRedactor([{ name: 'key', value: secret }]);
      const shown = redactor.text(`Basic ${Buffer.from(`${before}${secret}:end`).toString('base64')}`);
      expect(shown).toContain('[secret key]');
      const rest = Buffer.from(shown.replace('[secret key]', '').replace('Basic ', ''), 'base64').toString('latin1');
      expect(rest).not.toMatch(/orrect|horse|batter/u);
    },
  );

  test('in the names of members and deep inside', () => {
    const given = { list: [{ [`x-${value}`]: [value, 1, null, true] }], gone: undefined };
    expect(json(given)).toEqual({ list: [{ 'x-[secret key]': ['[secret key]', 1, null, true] }], gone: undefined });
  });

  test('in part, where an output was cut within it', () => {
    expect(text(`head ${value.slice(0, 9)}\n[cut after 14 bytes]`)).toBe('head [secret key]\n[cut after 14 bytes]');
    expect(text('head\n[cut after 14 bytes]')).toBe('head\n[cut after 14 bytes]');
  });

  test('without the blanks around it, which a header loses', () => {
    expect(createRedactor([{ name: 'key', value: ' token-1 ' }]).text('got token-1.')).toBe('got [secret key].');
  });

  test('in part, because a shorter secret stands within it', () => {
    const both = createRedactor([
      { name: 'short', value: 'abcd' },
      { name: 'long', value: 'abcdefgh' },
    ]);
    expect(both.text('abcdefgh abcd')).toBe('[secret long] [secret short]');
  });
});

describe('what is no secret is hidden', () => {
  test('because a value is shorter than a word', () => {
    expect(createRedactor([{ name: 'key', value: 'abc' }]).text('abcabc')).toBe('abcabc');
    expect(createRedactor([{ name: 'key', value: '' }]).text('any')).toBe('any');
  });

  test('because a value is read as a pattern', () => {
    expect(createRedactor([{ name: 'key', value: '.*.*' }]).text('fine')).toBe('fine');
  });
});
