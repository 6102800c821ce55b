import { describe, expect, it } from 'vitest';
import { evaluateExpression, expressionFault } from './expression.ts';

const faultOf = (text: string): string => {
  const value = evaluateExpression(text, { input: { folder: 'docs' }, steps: {}, run: { id: 'run-1' } });
  return value.ok ? `none, but ${JSON.stringify(value.value)}` : value.error;
};

describe('an expression that takes for ever, or differs between devices', () => {
  const nested = (depth: number): string =>
    Array.from({ length: depth }, (_, at) => at).reduce((inner, at) => `[1, 2].all(x${at}, ${inner})`, 'true');

  it.each([
    { hazard: 'a pattern', text: '"a".matches("(a+)+$")', fault: '"matches" cannot be used' },
    { hazard: 'a pattern behind a comment', text: '"a".matches//\n("(a+)+$")', fault: '"matches" cannot be used' },
    { hazard: 'a pattern deep inside', text: '[{"a": input.folder.matches("x")}].size() > 0', fault: '"matches"' },
    { hazard: 'a pattern inside a loop', text: '[1].exists(x, "a".matches("x"))', fault: '"matches" cannot be used' },
    { hazard: 'a text that doubles', text: 'cel.bind(a, "xx", a + a)', fault: '"bind" cannot be used' },
    { hazard: 'three loops within each other', text: nested(3), fault: 'More than two loops' },
    {
      hazard: 'the zone of the device',
      text: 'timestamp(0).getDayOfYear() > 1',
      fault: '"getDayOfYear" cannot be used',
    },
    { hazard: 'another zone', text: 'timestamp(0).getHours("Europe/Berlin") > 1', fault: 'looked at in UTC' },
    { hazard: 'a tower of brackets', text: `${'('.repeat(5_000)}1${')'.repeat(5_000)}`, fault: 'maxDepth' },
    { hazard: 'a very long sum', text: Array.from({ length: 2_000 }, () => '1').join('+'), fault: 'maxAstNodes' },
    {
      hazard: 'a very long list',
      text: `[${Array.from({ length: 300 }, () => '1').join(',')}]`,
      fault: 'maxListElements',
    },
  ])('$hazard is let through', ({ text, fault }) => {
    expect(expressionFault(text)).toContain(fault);
    expect(faultOf(text)).toContain(fault);
  });

  it('what has its limits is turned away', () => {
    expect(expressionFault(nested(2))).toBeNull();
    expect(expressionFault('[1].map(a, a).map(b, b).map(c, c).filter(d, d > 0)')).toBeNull();
    expect(expressionFault('timestamp("2024-01-01T00:00:00Z").getHours() == 0')).toBeNull();
  });

  it('a message is as long as what it is about', () => {
    expect(faultOf(`int("${'9'.repeat(5_000)}")`).length).toBeLessThan(500);
    expect(faultOf(`bool("${'9'.repeat(5_000)}")`).length).toBeLessThan(500);
    expect(faultOf('input.a\n&&\ninput.b').split('\n')).toHaveLength(1);
  });
});
