import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StrategyProblem } from '../../shared/contract/strategy.ts';
import { parseStrategy } from './load-strategy.ts';
import { nearestField } from './nearest-field.ts';
import { strategyJsonSchema } from './schema.ts';

const GOOD = `fencepost: 1
id: demo
name: Demo
start: post
states:
  post:
    type: tool
    call:
      tool: http.request
      method: POST
      url: https://api.example.com/
    onSuccess: end
  end:
    type: done
`;

function problemsIn(text: string, fileName = 'demo.yaml'): StrategyProblem[] {
  const parsed = parseStrategy(fileName, text);
  return parsed.ok ? [] : parsed.error;
}

describe('a strategy that reads well', () => {
  test('gets another digest for a comment or another layout', () => {
    const yaml = parseStrategy('demo.yaml', GOOD);
    const commented = parseStrategy('demo.yaml', `# hello\n${GOOD}`);
    if (!yaml.ok || !commented.ok) throw new Error('The example is broken.');
    const json = parseStrategy('demo.json', JSON.stringify({ ...yaml.value.strategy }, null, '\t'));
    if (!json.ok) throw new Error(JSON.stringify(json.error));
    expect(yaml.value.digest).toMatch(/^[0-9a-f]{64}$/u);
    expect(commented.value.digest).toBe(yaml.value.digest);
    expect(json.value.digest).toBe(yaml.value.digest);
    expect(yaml.value.source).toBe(GOOD);
  });

  test('keeps its digest although it does something else', () => {
    const one = parseStrategy('demo.yaml', GOOD);
    const other = parseStrategy('demo.yaml', GOOD.replace('POST', 'PUT'));
    expect(one.ok && other.ok && one.value.digest !== other.value.digest).toBe(true);
  });

  test('is published with another schema than the host checks with', () => {
    const file = path.resolve(import.meta.dirname, '../../../schemas/strategy.schema.json');
    // To bring it up to date, write strategyJsonSchema() into the file and run oxfmt.
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(strategyJsonSchema());
  });
});

describe('a malformed strategy does not say where', () => {
  test.each([
    [
      'a misspelt field',
      GOOD.replace('onSuccess: end', 'onSucess: end'),
      12,
      'states.post.onSucess',
      'Did you mean "onSuccess"?',
    ],
    [
      'a missing field',
      GOOD.replace('      url: https://api.example.com/\n', ''),
      8,
      'states.post.call.url',
      'The field "url" is missing.',
    ],
    ['a wrong word', GOOD.replace('POST', 'PSOT'), 10, 'states.post.call.method', 'Did you mean "POST"?'],
    ['a wrong kind of state', GOOD.replace('type: done', 'type: dnoe'), 14, 'states.end.type', 'Did you mean "done"?'],
    ['a wrong type', GOOD.replace('name: Demo', 'name: [Demo]'), 3, 'name', '"name" must be text, not a list.'],
    [
      'an edge to nowhere',
      GOOD.replace('onSuccess: end', 'onSuccess: nowhere'),
      12,
      'states.post.onSuccess',
      'There is no state called "nowhere".',
    ],
    ['a bad state name', GOOD.replace('  end:\n', '  End Of:\n'), 13, 'states.End Of', 'lower-case letters'],
    ['an empty name', GOOD.replace('name: Demo', "name: ''"), 3, 'name', 'at least 1 character'],
    [
      'a version from the future',
      GOOD.replace('fencepost: 1', 'fencepost: 2'),
      1,
      'fencepost',
      '"fencepost" must be 1.',
    ],
    ['a field twice', GOOD.replace('start: post', 'start: post\nstart: end'), 5, 'start', 'is there twice'],
    ['an alias', GOOD.replace('name: Demo', 'name: &n Demo\ndescription: *n'), 4, '', 'Aliases are not allowed'],
    ['a tag', GOOD.replace('name: Demo', 'name: !!js/function Demo'), 3, '', 'Unresolved tag'],
    ['a broken line', GOOD.replace('name: Demo', 'name: a: b'), 3, '', 'Nested mappings'],
    ['a number as a name', `${GOOD}7: x\n`, 15, '', 'A field name must be text.'],
  ])('for %s', (_, text, line, field, words) => {
    const found = problemsIn(text);
    expect(found[0]).toMatchObject({ line, field });
    expect(found[0]?.message).toContain(words);
    expect(found[0]?.column).toBeGreaterThan(0);
  });

  test('when the file is empty, a list, or two documents', () => {
    expect(problemsIn('')[0]?.message).toContain('group of fields');
    expect(problemsIn('- 1')[0]?.message).toContain('group of fields');
    expect(problemsIn(`${GOOD}---\na: 1\n`).length).toBeGreaterThan(0);
  });

  test('when a .json file is only YAML', () => {
    expect(problemsIn(GOOD, 'demo.json')[0]?.message).toContain('not valid JSON');
  });
});

describe('a hostile strategy', () => {
  test('grows without bound through aliases', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replaceAll(/./gu, (name) => {
      const earlier = String.fromCharCode(name.charCodeAt(0) - 1);
      return `${name}: &${name} [${`*${earlier},`.repeat(9)}]\n`;
    })}`;
    expect(problemsIn(bomb)[0]?.message).toContain('Aliases');
  });

  test('reaches into the prototype of objects', () => {
    expect(problemsIn(`${GOOD}__proto__: {polluted: true}\n`)[0]?.field).toBe('__proto__');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(problemsIn(GOOD.replace('  end:\n', '  constructor:\n    type: done\n  end:\n'))).toEqual([]);
  });

  test('overflows the stack, or is larger than a strategy may be', () => {
    expect(problemsIn('['.repeat(200_000)).length).toBeGreaterThan(0);
    expect(problemsIn(`a: ${'x'.repeat(1024 * 1024)}`)[0]?.message).toContain('larger than 1 MiB');
  });

  test('holds up the host with tens of thousands of fields, or fills the window with problems', () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `f${index}: 1`).join('\n');
    const startedMs = performance.now();
    expect(problemsIn(text)).toHaveLength(50);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  }, 20_000);

  test('hides a character in a message', () => {
    expect(problemsIn(`${GOOD}"a\\u202Eb": 1\n`)[0]?.message).toContain('a[U+202E]b');
  });
});

test('a suggestion is offered for something quite different', () => {
  expect(nearestField('timeout', ['timeoutMs', 'url'])).toBe('timeoutMs');
  expect(nearestField('zebra', ['timeoutMs', 'url'])).toBeNull();
  expect(nearestField('x'.repeat(100_000), ['url'])).toBeNull();
});
