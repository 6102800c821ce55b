import { checkHistory } from './checker.ts';
import type { DeadEnd, Verdict } from './checker.ts';
import type { Operation } from './history.ts';
import type { ExpiryRules } from './specification.ts';

/** How many operations of the fitting order are shown before the place where it ends. */
const SHOWN_BEFORE = 8;

/**
 * The shortest beginning of a history that no order explains. A beginning of a linearizable history is linearizable, with
 * what had not been answered yet as unknown, so halving finds it.
 */
export function shortestBadBeginning(operations: readonly Operation[], rules: ExpiryRules): readonly Operation[] {
  const returns = operations
    .map((operation) => operation.returnMs)
    .filter((ms) => Number.isFinite(ms))
    .toSorted((one, other) => one - other);
  let good = -1;
  let bad = returns.length - 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    const isBad = checkHistory(cutAt(operations, returns[middle] ?? 0), rules).kind === 'violation';
    if (isBad) bad = middle;
    else good = middle;
  }
  return cutAt(operations, returns[bad] ?? 0);
}

/** What was known at a moment: later questions do not exist, later answers are not there yet. */
function cutAt(operations: readonly Operation[], atMs: number): readonly Operation[] {
  return operations
    .filter((operation) => operation.invokeMs <= atMs)
    .flatMap((operation) => {
      if (operation.returnMs <= atMs) return [operation];
      // What has no answer has no place yet: a restart of the machine that is not over is left out.
      return operation.call.verb === 'reboot' ? [] : [{ ...operation, returnMs: Infinity, answer: null }];
    });
}

/** The sentences of a violation: the last operations that fit, and why none of the next ones does. */
export function describeViolation(operations: readonly Operation[], rules: ExpiryRules): string {
  const cut = shortestBadBeginning(operations, rules);
  const verdict: Verdict = checkHistory(cut, rules);
  if (verdict.kind !== 'violation') return `The history is ${verdict.kind}.`;
  return [
    `No order explains the ${cut.length} operations up to here. The longest that fits ends with:`,
    ...lastOnes(cut, verdict.deadEnd),
    'and none of these can come next:',
    ...verdict.deadEnd.refusals.map(({ id, reason }) => `  ${lineOf(find(cut, id))}\n      ${reason}`),
    ...unknownOnes(cut, verdict.deadEnd),
  ].join('\n');
}

function lastOnes(operations: readonly Operation[], { order }: DeadEnd): string[] {
  return order.slice(-SHOWN_BEFORE).map((id) => `  ${lineOf(find(operations, id))}`);
}

function unknownOnes(operations: readonly Operation[], { order }: DeadEnd): string[] {
  const taken = new Set(order);
  const open = operations.filter((each) => each.returnMs === Infinity && !taken.has(each.id)).slice(-SHOWN_BEFORE);
  return open.length === 0
    ? []
    : ['not needed, or not explaining it either, of unknown outcome:', ...open.map((each) => `  ${lineOf(each)}`)];
}

function find(operations: readonly Operation[], id: number): Operation | undefined {
  return operations.find((operation) => operation.id === id);
}

function lineOf(operation: Operation | undefined): string {
  if (operation === undefined) return '(nothing)';
  const { id, client, invokeMs, returnMs, call, answer } = operation;
  const { verb, ...members } = call;
  const until = returnMs === Infinity ? 'unknown' : returnMs.toFixed(2);
  const said = answer === null ? '' : ` -> ${JSON.stringify(answer.reply)} ${stateOf(answer.view)}`;
  return `#${id} ${client} [${invokeMs.toFixed(2)} .. ${until}] ${verb} ${JSON.stringify(members)}${said}`;
}

function stateOf(view: NonNullable<Operation['answer']>['view']): string {
  const holder = view.lease === null ? 'nobody' : `${view.lease.holder} ${view.remainingMs.toFixed(0)} ms`;
  const tail = view.tail.map((entry) => `${entry.effect.effectKey}/${entry.attemptToken} ${entry.status}`);
  return `{epoch ${view.epoch}, ${holder}, tail [${tail.join(', ')}], frontier ${JSON.stringify(view.frontier)}}`;
}
