import { Environment } from '@marcbachmann/cel-js';
import type { ParseResult } from '@marcbachmann/cel-js';
import type { Result } from '../../lib/result.ts';
import { err, ok } from '../../lib/result.ts';
import type { TemplateScope } from './template.ts';

/** Conditions and values in CEL: no loops without a list, no variables, no way to anything but the facts of the run. */
const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 512, maxDepth: 32, maxListElements: 256, maxMapEntries: 64, maxCallArguments: 8 },
});
for (const name of ['input', 'steps', 'run', 'args']) environment.registerVariable(name, 'map');
environment.registerVariable('item', 'dyn');
// Numbers of JSON are doubles, numbers in an expression whole ones: in a strategy both are just numbers.
for (const [operator, act] of Object.entries({
  '+': (left: number, right: number) => left + right,
  '-': (left: number, right: number) => left - right,
  '*': (left: number, right: number) => left * right,
  '/': (left: number, right: number) => left / right,
  '%': (left: number, right: number) => left % right,
})) {
  const mixed = (left: unknown, right: unknown): number => act(Number(left), Number(right));
  environment.registerOperator(`double ${operator} int`, mixed);
  environment.registerOperator(`int ${operator} double`, mixed);
}
environment.registerOperator('double % double', (left: number, right: number) => left % right);

/** Calls whose cost cannot be told from the size of what they look at, or that look at the machine. */
const REFUSED: ReadonlyMap<unknown, string> = new Map([
  ['matches', '"matches" cannot be used: a pattern can take for ever.'],
  ['bind', '"bind" cannot be used: names that double each other take all memory.'],
  ['getDayOfYear', '"getDayOfYear" cannot be used: it depends on the time zone of the device.'],
]);
const LOOPS: ReadonlySet<unknown> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
/** Each loop within a loop multiplies the time that an expression takes. */
const LOOP_DEPTH = 2;
/** The longest part of a message that comes from an expression or from what it looked at, in characters. */
const SHOWN_LENGTH = 200;

/** What is wrong with an expression before it is ever used; `null` means nothing. */
export function expressionFault(text: string): string | null {
  const program = compile(text);
  return program.ok ? null : program.error;
}

/** What an expression comes to; numbers and lists as JSON has them. */
export function evaluateExpression(text: string, scope: TemplateScope): Result<unknown, string> {
  const program = compile(text);
  if (!program.ok) return err(`${shown(text)}: ${program.error}`);
  try {
    const { input, steps, run, item = null, args = {} } = scope;
    // The names in these three are anybody's: in a plain object, `constructor` would be taken for its class.
    const value: unknown = program.value({ input: asMap(input), steps: asMap(steps), run, item, args: asMap(args) });
    const json = asJson(value);
    return json.ok ? json : err(`${shown(text)}: ${json.error}`);
  } catch (cause) {
    return err(`${shown(text)}: ${sentence(cause)}`);
  }
}

/** Whether a condition holds; only `true` does. */
export function conditionHolds(text: string, scope: TemplateScope): Result<boolean, string> {
  const value = evaluateExpression(text, scope);
  if (!value.ok) return value;
  return typeof value.value === 'boolean' ? ok(value.value) : err(`${shown(text)} is neither true nor false.`);
}

function compile(text: string): Result<ParseResult, string> {
  try {
    const program = environment.parse(text);
    const refused = callFault(program.ast, 0);
    if (refused !== null) return err(refused);
    const checked = program.check();
    return checked.valid ? ok(program) : err(sentence(checked.error));
  } catch (cause) {
    return err(sentence(cause));
  }
}

/** Looks at the calls of a parsed expression, where no comment and no text can be taken for one. */
function callFault(node: unknown, loopsAround: number): string | null {
  if (Array.isArray(node)) {
    for (const part of node as readonly unknown[]) {
      const fault = callFault(part, loopsAround);
      if (fault !== null) return fault;
    }
    return null;
  }
  if (node === null || typeof node !== 'object' || !('op' in node && 'args' in node)) return null;
  if (node.op !== 'rcall') return callFault(node.args, loopsAround);
  // A call behind a value: its name, the value, the arguments. A loop goes around the arguments only.
  const [name, receiver, callArguments] = node.args as readonly unknown[];
  const loops = loopsAround + (LOOPS.has(name) ? 1 : 0);
  if (loops > LOOP_DEPTH) return 'More than two loops within each other cannot be used: they can take for ever.';
  // The library works out other zones with the clock of the device, which has gaps of its own.
  const hasZone = String(name).startsWith('get') && !isEmptyList(callArguments);
  if (hasZone) return 'A time is looked at in UTC: with another zone, devices could differ.';
  return REFUSED.get(name) ?? callFault(receiver, loopsAround) ?? callFault(callArguments, loops);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function asMap(record: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(record));
}

/** The first line of an error, without the name of its class. */
function sentence(cause: unknown): string {
  return shown(String(cause).replace(/^\w*Error: /u, ''));
}

function shown(text: string): string {
  return text.split('\n', 1).join('').slice(0, SHOWN_LENGTH);
}

/**
 * CEL counts in big integers and knows types that JSON does not. What JSON would round or leave out is refused: an effect
 * with another number in it than the one that was meant must not leave.
 */
function asJson(value: unknown): Result<unknown, string> {
  let fault: string | null = null;
  const number = (node: number, isExact: boolean): number => {
    if (!isExact) fault ??= 'It comes to a number that cannot be written down exactly. Make it a text with string().';
    return node;
  };
  const walk = (node: unknown): unknown => {
    if (node === null || typeof node === 'string' || typeof node === 'boolean') return node;
    if (typeof node === 'bigint') return number(Number(node), Number.isSafeInteger(Number(node)));
    // JSON has no minus zero.
    if (typeof node === 'number') return number(node + 0, Number.isFinite(node));
    if (Object.prototype.toString.call(node) === '[object Date]') return JSON.parse(JSON.stringify(node)) as string;
    if (Array.isArray(node)) return node.map(walk);
    const entries = node instanceof Map ? [...(node as Map<unknown, unknown>)] : plainEntries(node);
    if (entries === null) fault ??= 'It comes to something that is no text, number, list or group of fields.';
    return Object.fromEntries((entries ?? []).map(([key, member]) => [String(key), walk(member)]));
  };
  const walked = walk(value);
  return fault === null ? ok(walked) : err(fault);
}

function plainEntries(node: unknown): [string, unknown][] | null {
  const isPlain = Object.getPrototypeOf(node) === Object.prototype;
  return isPlain ? Object.entries(node as object) : null;
}
