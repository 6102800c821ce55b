import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillDeep, fillTemplate, placeFault, templatePaths } from './template.ts';
import type { TemplateScope } from './template.ts';

const SCOPE: TemplateScope = {
  input: { folder: 'docs', empty: '', sly: '{{ run.id }}', dollar: '$& $1' },
  steps: {
    read: { output: { text: 'hello', count: 3, list: ['a', 'b'], nothing: null } },
    quiet: { output: undefined },
  },
  run: { id: 'run-1' },
};
const missing = (path: string) => ({ ok: false, error: `There is no value for {{ ${path} }}.` });

describe('what comes to more than may be sent', () => {
  const long = 'x'.repeat(5 * 1_048_576);
  const scope = { ...SCOPE, steps: { read: { output: { long } } } };
  const place = '{{ steps.read.output.long }}';

  it('is sent in part, or takes the memory of the host', () => {
    const refused = { ok: false, error: 'What would be sent is longer than 8388608 characters.' };
    expect(fillTemplate(place, scope)).toEqual({ ok: true, value: long });
    expect(fillTemplate(place.repeat(2_000), scope)).toEqual(refused);
    expect(fillDeep({ body: place, headers: { a: place } }, scope)).toEqual(refused);
    expect(fillDeep({ body: place, title: 'short' }, scope)).toMatchObject({ ok: true, value: { title: 'short' } });
  });
});

describe('what a template becomes', () => {
  it.each([
    { hazard: 'plain text changes', template: 'a { b } c }} $&', value: 'a { b } c }} $&' },
    { hazard: 'an input is not filled in', template: 'in {{ input.folder }}!', value: 'in docs!' },
    { hazard: 'spaces matter', template: '{{input.folder}}{{   run.id\n}}', value: 'docsrun-1' },
    { hazard: 'an output is not found', template: '{{ steps.read.output.text }}', value: 'hello' },
    { hazard: 'a number is not text', template: '{{ steps.read.output.count }}', value: '3' },
    { hazard: 'a list is lost', template: '{{ steps.read.output.list }}', value: '["a","b"]' },
    { hazard: 'a place in a list is not found', template: '{{ steps.read.output.list.1 }}', value: 'b' },
    { hazard: 'null counts as missing', template: '{{ steps.read.output.nothing }}', value: 'null' },
    { hazard: 'an empty input counts as missing', template: '[{{ input.empty }}]', value: '[]' },
    { hazard: 'what was filled in is filled in again', template: '{{ input.sly }}', value: '{{ run.id }}' },
    { hazard: 'a dollar sign in a value copies the template', template: '{{ input.dollar }}', value: '$& $1' },
  ])('$hazard', ({ template, value }) => {
    expect(fillTemplate(template, SCOPE)).toEqual({ ok: true, value });
  });

  it.each([
    { hazard: 'an unknown input leaves a hole', path: 'input.nowhere' },
    { hazard: 'an unknown step leaves a hole', path: 'steps.later.output' },
    { hazard: 'a step without output leaves a hole', path: 'steps.quiet.output' },
    { hazard: 'a path through text finds something', path: 'input.folder.length' },
    { hazard: 'a path through null throws', path: 'steps.read.output.nothing.more' },
    { hazard: 'a path reaches what every object has', path: 'input.constructor.name' },
    { hazard: 'a path reaches the prototype', path: 'input.__proto__.toString' },
    { hazard: 'a root alone is a value', path: 'input' },
    { hazard: 'an empty place leaves a hole', path: '' },
    { hazard: 'an item where there is none leaves a hole', path: 'item' },
    { hazard: 'arguments where there are none leave a hole', path: 'args.path' },
  ])('$hazard', ({ path }) => {
    expect(fillTemplate(`a {{ ${path} }} b`, SCOPE)).toEqual(missing(path));
  });

  it.each([
    { hazard: 'an expression is left as it is', template: '{{ 1 + 1 }}', value: '2' },
    { hazard: 'a dash in the name of a step is a minus', template: '{{ steps.a-b.output.n }}', value: '7' },
    { hazard: 'an item is not filled in', template: '{{ item }}', value: '{"path":"a.txt"}' },
    { hazard: 'a field of an item is not filled in', template: '{{ item.path }}', value: 'a.txt' },
    { hazard: 'what a model gave is filled in again', template: '{{ args.text }}', value: '{{ run.id }}' },
    { hazard: 'a computed list is no JSON', template: '{{ [1, 2].map(n, n * 2) }}', value: '[2,4]' },
    { hazard: 'a computed text is quoted', template: '{{ item.path + "." + args.text }}', value: 'a.txt.{{ run.id }}' },
  ])('$hazard', ({ template, value }) => {
    const scope = {
      ...SCOPE,
      steps: { 'a-b': { output: { n: 7 } } },
      item: { path: 'a.txt' },
      args: { text: '{{ run.id }}' },
    };
    expect(fillTemplate(template, scope)).toEqual({ ok: true, value });
  });

  it.each([
    {
      hazard: 'the process is reachable',
      template: '{{ process.env }}',
      error: 'process.env: Unknown variable: process',
    },
    { hazard: 'half an expression leaves a hole', template: '{{ 1 + }}', error: '1 +: Unexpected token: EOF' },
    {
      hazard: 'an expression over nothing leaves a hole',
      template: '{{ input.gone + "x" }}',
      error: 'No such key: gone',
    },
    { hazard: 'infinity leaves as null', template: '{{ 1.0 / 0.0 }}', error: 'cannot be written down exactly' },
  ])('$hazard', ({ template, error }) => {
    const filled = fillTemplate(template, SCOPE);
    expect(filled.ok ? filled.value : filled.error).toContain(error);
    expect(filled.ok).toBe(false);
  });

  it('the second hole is reported and not the first', () => {
    expect(fillTemplate('{{ input.folder }} {{ input.one }} {{ input.two }}', SCOPE)).toEqual(missing('input.one'));
  });

  it('a long run of spaces stops the host', () => {
    // Cubic time here is minutes, linear time is nothing: the test's own time limit is the assertion.
    const text = `{{${' '.repeat(65_534)}`;
    expect(fillTemplate(text, SCOPE)).toEqual({ ok: true, value: text });
    expect(templatePaths(text)).toEqual([]);
  });

  it('some text throws, or comes out changed although it has no place', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', ' ', '.', 'input', 'folder') }), (text) => {
        const filled = fillTemplate(text, SCOPE);
        if (templatePaths(text).length === 0) expect(filled).toEqual({ ok: true, value: text });
        else if (filled.ok) expect(templatePaths(text).every((path) => path === 'input.folder')).toBe(true);
      }),
    );
  });
});

describe('the places of a template', () => {
  it('a place is overlooked when a strategy is checked', () => {
    expect(templatePaths('{{input.a}} and {{ steps.b.output }} and {{ }}')).toEqual(['input.a', 'steps.b.output', '']);
    expect(templatePaths('none')).toEqual([]);
  });
});

describe('a place that nothing can ever fill', () => {
  it('is found only once the steps before it have acted', () => {
    expect(placeFault('')).toBe('There is nothing between {{ and }}.');
    expect(placeFault('1 +')).toBe('Unexpected token: EOF');
    expect(placeFault('process.env')).toBe('Unknown variable: process');
  });

  it('is found where there is none', () => {
    for (const place of ['input.folder', 'steps.a-b.output.list.0', 'item', 'input.n + "x"'])
      expect(placeFault(place)).toBeNull();
  });
});

describe('templates inside a call', () => {
  it('something deep inside is left unfilled, or other values change', () => {
    const call = { argv: ['cat', '{{ input.folder }}'], deep: { id: '{{ run.id }}', n: 3, off: null, on: true } };
    expect(fillDeep(call, SCOPE)).toEqual({
      ok: true,
      value: { argv: ['cat', 'docs'], deep: { id: 'run-1', n: 3, off: null, on: true } },
    });
  });

  it('a hole deep inside lets the call go out', () => {
    expect(fillDeep({ a: ['{{ input.x }}'], b: '{{ input.y }}' }, SCOPE)).toEqual(missing('input.x'));
  });

  it('what a step has said becomes part of a program', () => {
    const call = { tool: 'script', source: 'echo {{ input.folder }} {{.Names}}', args: ['{{ input.folder }}'] };
    expect(fillDeep({ call }, SCOPE)).toEqual({ ok: true, value: { call: { ...call, args: ['docs'] } } });
    const http = { tool: 'http.request', source: '{{ input.folder }}' };
    expect(fillDeep(http, SCOPE)).toEqual({ ok: true, value: { ...http, source: 'docs' } });
  });

  it('a member called __proto__ is lost or changes the prototype', () => {
    const call: unknown = JSON.parse('{"__proto__":"{{ run.id }}"}');
    const filled = fillDeep(call, SCOPE);
    expect(JSON.stringify(filled)).toBe('{"ok":true,"value":{"__proto__":"run-1"}}');
  });
});
