import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conditionHolds, evaluateExpression } from './expression.ts';
import type { TemplateScope } from './template.ts';

const SCOPE: TemplateScope = {
  input: { folder: 'docs', constructor: 'mine' },
  steps: {
    read: { output: { status: 200, half: 1.5, text: 'hello', nothing: null, list: [1, 2, 3], files: [{ name: 'a' }] } },
    'with-dash': { output: { text: 'dash' } },
    quiet: { output: undefined },
    constructor: { output: 'a state may be called so' },
  },
  run: { id: 'run-1' },
};
const valueOf = (text: string, scope = SCOPE): unknown => {
  const value = evaluateExpression(text, scope);
  return value.ok ? value.value : { fault: value.error };
};
const faultOf = (text: string, scope = SCOPE): string => {
  const value = evaluateExpression(text, scope);
  return value.ok ? `none, but ${JSON.stringify(value.value)}` : value.error;
};

describe('what an expression comes to', () => {
  it.each<{ hazard: string; text: string; value: unknown }>([
    { hazard: 'whole numbers stay big integers', text: '1 + 1', value: 2 },
    {
      hazard: 'a number of JSON cannot be added to one of the expression',
      text: 'steps.read.output.status + 1',
      value: 201,
    },
    { hazard: 'the order of a mixed difference is lost', text: '1 - steps.read.output.half', value: -0.5 },
    { hazard: 'a mixed product is lost', text: '2 * steps.read.output.half', value: 3 },
    { hazard: 'a mixed quotient is cut off', text: 'steps.read.output.half / 2', value: 0.75 },
    { hazard: 'a remainder of a number of JSON is lost', text: 'steps.read.output.status % 3', value: 2 },
    {
      hazard: 'a remainder of two numbers of JSON is lost',
      text: 'steps.read.output.status % steps.read.output.half',
      value: 0.5,
    },
    { hazard: 'a number of JSON equals no number', text: 'steps.read.output.status == 200', value: true },
    {
      hazard: 'a number of JSON finds no place in a list',
      text: 'steps.read.output.list[steps.read.output.half * 2 - 1]',
      value: 3,
    },
    { hazard: 'JSON gets a minus zero', text: '-(steps.read.output.half - steps.read.output.half)', value: 0 },
    { hazard: 'a text is changed', text: 'steps.read.output.text + "!"', value: 'hello!' },
    { hazard: 'null is lost', text: 'steps.read.output.nothing', value: null },
    { hazard: 'a state with a dash is not found', text: 'steps["with-dash"].output.text', value: 'dash' },
    {
      hazard: 'a state called as every class breaks every expression',
      text: 'steps.constructor.output',
      value: 'a state may be called so',
    },
    { hazard: 'an input called as every class is the class', text: 'input.constructor', value: 'mine' },
    { hazard: 'a list loses its numbers', text: 'steps.read.output.list.map(x, x + 1)', value: [2, 3, 4] },
    { hazard: 'a whole group cannot be handed on', text: 'steps.read.output.files', value: [{ name: 'a' }] },
    { hazard: 'a group loses what stands behind a number', text: '{1: {"a": [1]}}', value: { 1: { a: [1] } } },
    { hazard: 'all inputs together are lost', text: 'input', value: { folder: 'docs', constructor: 'mine' } },
    { hazard: 'a time has no text', text: 'timestamp("2024-01-01T00:00:00Z")', value: '2024-01-01T00:00:00.000Z' },
    { hazard: 'a word in a text is taken for a call', text: '"matches(" + input.folder', value: 'matches(docs' },
    { hazard: 'a missing field stops a question about it', text: 'has(input.gone)', value: false },
    { hazard: 'an item that is not there throws', text: 'item == null', value: true },
  ])('$hazard', ({ text, value }) => {
    expect(valueOf(text)).toEqual(value);
  });

  it('the item of a workset or the arguments of a model are out of reach', () => {
    const scope = { ...SCOPE, item: { path: 'a.txt' }, args: { constructor: 'x', path: 'b.txt' } };
    expect(valueOf('item.path + args.path + args.constructor', scope)).toBe('a.txtb.txtx');
  });

  it.each([
    { hazard: 'the process is reachable', text: 'process.env', fault: 'Unknown variable: process' },
    { hazard: 'everything is reachable', text: 'globalThis', fault: 'Unknown variable: globalThis' },
    { hazard: 'a step without output has a value', text: 'steps.quiet.output', fault: 'No such key: output' },
    { hazard: 'a missing input has a value', text: 'input.gone', fault: 'No such key: gone' },
    { hazard: 'a method of every object has a value', text: 'input.toString', fault: 'No such key: toString' },
    { hazard: 'the length of a text is a field', text: 'input.folder.length', fault: 'No such key: length' },
    { hazard: 'the prototype has a value', text: 'input.__proto__', fault: 'No such key: __proto__' },
    {
      hazard: 'the prototype of an output has a value',
      text: 'steps.read.output["__proto__"]',
      fault: 'No such key: __proto__',
    },
    {
      hazard: 'the class of an output has a value',
      text: 'steps.read.output.constructor',
      fault: 'No such key: constructor',
    },
    { hazard: 'the clock is reachable', text: 'now()', fault: 'found no matching overload' },
    { hazard: 'half an expression is half evaluated', text: '1 +', fault: 'Unexpected token: EOF' },
    { hazard: 'no expression has a value', text: '', fault: 'Unexpected token: EOF' },
    { hazard: 'a division by zero throws', text: '1 / 0', fault: 'division by zero' },
    { hazard: 'a text that is no number counts as one', text: 'int("x")', fault: 'cannot convert to int' },
    {
      hazard: 'a number that JSON rounds leaves as another one',
      text: 'int("9007199254740993")',
      fault: 'cannot be written down exactly',
    },
    { hazard: 'infinity leaves as null', text: '1.0 / 0.0', fault: 'cannot be written down exactly' },
    { hazard: 'bytes leave as a group of numbers', text: 'bytes("a")', fault: 'no text, number, list' },
    { hazard: 'a span of time leaves as an empty group', text: 'duration("1h")', fault: 'no text, number, list' },
    { hazard: 'a type leaves as an empty group', text: '[{"a": string}]', fault: 'no text, number, list' },
    { hazard: 'the library itself has a value', text: 'cel', fault: 'no text, number, list' },
  ])('$hazard', ({ text, fault }) => {
    expect(faultOf(text)).toContain(fault);
  });

  it('a very deep output stops the host', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(faultOf('item', { ...SCOPE, item: deep })).toContain('item: ');
  });
});

describe('a condition', () => {
  it('holds although it is false, or does not although it is true', () => {
    expect(conditionHolds('steps.read.output.status == 200', SCOPE)).toEqual({ ok: true, value: true });
    expect(conditionHolds('steps.read.output.status < 200', SCOPE)).toEqual({ ok: true, value: false });
  });

  it('holds because something is there', () => {
    for (const text of ['1', '"true"', 'null', 'steps.read.output.list']) {
      expect(conditionHolds(text, SCOPE)).toEqual({ ok: false, error: `${text} is neither true nor false.` });
    }
  });

  it('does not hold because nobody knows', () => {
    expect(conditionHolds('input.gone == "x"', SCOPE).ok).toBe(false);
  });
});

describe('any expression over anything', () => {
  const names = fc.constantFrom(
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__defineGetter__',
    'length',
    'process',
    'globalThis',
    'Function',
    'require',
    'import',
    'input',
    'steps',
    'run',
    'item',
    'args',
    'cel',
    'output',
  );
  const roots = fc.oneof(names, fc.constantFrom('""', '[]', '{}', '1', 'null', '[1]', '{"a": 1}'));
  const step = fc.oneof(
    names.map((name) => `.${name}`),
    names.map((name) => `["${name}"]`),
    names.map((name) => `.${name}()`),
    names.map((name) => `.map(x, x.${name})`),
    fc.constant('[0]'),
  );
  const paths = fc
    .tuple(roots, fc.array(step, { minLength: 1, maxLength: 5 }))
    .map(([root, steps]) => root + steps.join(''));
  const pieces = fc.oneof(
    names,
    fc.constantFrom(
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '.',
      ',',
      ':',
      '?',
      '+',
      '-',
      '!',
      '&&',
      '==',
      '"',
      "'",
      '\\',
      '//',
      '\n',
      '1',
      '0x',
      '1u',
      ' ',
    ),
    fc.string({ maxLength: 3 }),
  );
  const noise = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));
  const scopes = fc.record({
    input: fc.dictionary(fc.oneof(names, fc.string()), fc.string()),
    steps: fc.dictionary(fc.oneof(names, fc.string()), fc.record({ output: fc.jsonValue() })),
    run: fc.constant({ id: 'run-1' }),
    item: fc.jsonValue(),
    args: fc.dictionary(fc.oneof(names, fc.string()), fc.jsonValue()),
  });

  it('throws, or comes to something that JSON does not carry as it is', () => {
    fc.assert(
      fc.property(fc.oneof(paths, noise), scopes, (text, scope) => {
        const value = evaluateExpression(text, scope);
        if (!value.ok) expect(value.error).not.toContain('\n');
        else expect(JSON.parse(JSON.stringify(value.value))).toEqual(value.value);
        expect(conditionHolds(text, scope).ok).toBe(value.ok && typeof value.value === 'boolean');
      }),
      { numRuns: 500 },
    );
  });

  it('reaches a prototype, a class, a method or a global', () => {
    const bare: TemplateScope = { input: {}, steps: {}, run: { id: 'r' }, item: [{}], args: {} };
    const before = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(paths, (text) => {
        const value = evaluateExpression(text, bare);
        // The few things that are there: the parts of this scope, what was written down, and truths about them.
        const known = [
          '{}',
          '[]',
          '[{}]',
          '[{},{}]',
          '""',
          '"r"',
          '1',
          '[1]',
          '{"a":1}',
          'null',
          '{"id":"r"}',
          '["id"]',
          '["a"]',
        ];
        if (value.ok) expect(known).toContain(JSON.stringify(value.value));
      }),
      { numRuns: 500 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  it('comes to something else the second time, or changes what it looked at', () => {
    fc.assert(
      fc.property(fc.oneof(paths, noise), scopes, (text, scope) => {
        const before = JSON.stringify(scope);
        expect(evaluateExpression(text, scope)).toEqual(evaluateExpression(text, scope));
        expect(JSON.stringify(scope)).toBe(before);
      }),
    );
  });
});
