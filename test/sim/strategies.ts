import { parseStrategy } from '../../src/main/strategy/load-strategy.ts';
import type { LoadedStrategy } from '../../src/main/strategy/load-strategy.ts';
import type { EffectKind } from '../../src/shared/core/effect/effect-kind.ts';
import type { StateId } from '../../src/shared/contract/identifiers.ts';
import { ownMember } from '../../src/shared/lib/own-member.ts';
import type { Random } from '../harness/random.ts';

const KINDS: readonly EffectKind[] = ['blind', 'idempotent-by-key', 'verifiable', 'compensable', 'read-only'];

/** How long the simulated provider recognises a key, ms; short, so that a late repeat finds it forgotten. */
export const DEDUPE_WINDOW_MS = 60_000;
const WORLD = 'https://world.test';

const loaded = new Map<string, LoadedStrategy>();

/** An agent with a few steps in a row; some ask first, some wait in between, some go on in branches or ask a model. */
export function drawStrategy(random: Random, agentId: string, ttlMs: number): LoadedStrategy {
  const length = 1 + random.below(3);
  const steps = Array.from({ length }, (_, index) => drawStep(random, `s${index}`));
  const lines = steps.flatMap((step, index) => linesOf(agentId, step, entryOf(steps[index + 1])));
  const text = `fencepost: 1
id: ${agentId}
name: Agent ${agentId}
scope: { hosts: [world.test], models: { muse: { provider: openai, baseUrl: 'https://muse.test', model: muse } } }
leaseTtlMs: ${ttlMs}
start: ${entryOf(steps[0])}
states:
${lines.join('\n')}
  finish: { type: done }
`;
  return load(text);
}

/** Whether a run can come to a state more than once: only the shape `loop` goes back, by way of its mark. */
export function comesAgainIn({ strategy }: LoadedStrategy, stateId: StateId): boolean {
  return ownMember(strategy.states, `mark-${stateId}`) !== undefined;
}

const SHAPES = ['plain', 'workset', 'fork', 'model', 'loop'] as const;

interface Step {
  readonly name: string;
  readonly shape: (typeof SHAPES)[number];
  readonly kind: EffectKind;
  readonly asks: boolean;
  readonly waits: boolean;
  readonly onFailure: boolean;
  readonly retries: boolean;
}

function drawStep(random: Random, name: string): Step {
  return {
    name,
    shape: random.chance(0.8) ? 'plain' : random.pick(SHAPES),
    kind: random.pick(KINDS),
    asks: random.chance(0.25),
    waits: random.chance(0.1),
    onFailure: random.chance(0.3),
    retries: random.chance(0.3),
  };
}

function entryOf(step: Step | undefined): string {
  if (step === undefined) return 'finish';
  if (step.shape === 'plain') return step.asks ? `ask-${step.name}` : step.name;
  return step.shape === 'loop' ? step.name : `${step.shape}-${step.name}`;
}

function linesOf(agentId: string, step: Step, next: string): string[] {
  const { name } = step;
  const call = (path: string, to: string): string => callOf(step, `${WORLD}/${agentId}/${path}`, to);
  switch (step.shape) {
    case 'workset':
      return [
        `  workset-${name}: { type: workset, items: '["a", "b"]', do: ${name}, parallel: 2, onSuccess: ${next}, onFailure: ${next} }`,
        `  ${name}: ${call(`${name}/{{ item }}`, 'finish')}`,
      ];
    case 'fork':
      return [
        `  fork-${name}: { type: fork, branches: { left: ${name}, right: ${name}-too }, join: join-${name} }`,
        `  ${name}: ${call(name, `join-${name}`)}`,
        `  ${name}-too: ${call(`${name}-too`, `join-${name}`)}`,
        `  join-${name}: { type: join, need: any, onSuccess: ${next} }`,
      ];
    case 'model':
      return [
        `  model-${name}: { type: model, model: muse, prompt: 'Go on.', maxTurns: 4, tools: [{ name: act, description: Acts, parameters: {}, ask: ${step.asks}, ${callText(step, `${WORLD}/${agentId}/${name}/{{ args.what }}`)} }], onSuccess: ${next}, onFailure: ${next} }`,
      ];
    case 'loop':
      return [
        `  ${name}: ${call(name, `more-${name}`)}`,
        `  more-${name}: { type: choice, branches: [{ when: '"number" in steps.${name}.output && steps.${name}.output.number == 1', to: again-${name} }], otherwise: ${next} }`,
        `  again-${name}: { type: wait, forMs: 500, onSuccess: once-${name} }`,
        `  once-${name}: { type: choice, branches: [{ when: '"mark-${name}" in steps', to: ${next} }], otherwise: mark-${name} }`,
        `  mark-${name}: { type: tool, call: { tool: http.request, method: GET, url: '${WORLD}/${agentId}/mark-${name}' }, effect: { kind: read-only }, onSuccess: ${name}, onFailure: ${next} }`,
      ];
    default:
      return plainLines(step, next, call(name, step.waits ? `wait-${name}` : next));
  }
}

function plainLines({ name, waits, asks }: Step, next: string, call: string): string[] {
  const lines = [`  ${name}: ${call}`];
  if (waits) lines.push(`  wait-${name}: { type: wait, forMs: 3000, onSuccess: ${next} }`);
  if (asks) {
    lines.push(
      `  ask-${name}: { type: approve, question: 'Go on?', of: ${name}, expiresAfterMs: 120000, onSuccess: ${name} }`,
    );
  }
  return lines;
}

function callOf(step: Step, url: string, to: string): string {
  const retry = step.retries ? ', retry: { attempts: 4, firstDelayMs: 400, longestDelayMs: 5000 }' : '';
  return `{ type: tool, ${callText(step, url)}${retry}, onSuccess: ${to}${step.onFailure ? ', onFailure: finish' : ''} }`;
}

function callText(step: Step, url: string): string {
  const method = step.kind === 'read-only' ? 'GET' : 'POST';
  return `call: { tool: http.request, method: ${method}, url: '${url}' }, effect: ${effectOf(step.kind, url)}`;
}

function effectOf(kind: EffectKind, url: string): string {
  if (kind === 'idempotent-by-key') return `{ kind: idempotent-by-key, dedupeWindowMs: ${DEDUPE_WINDOW_MS} }`;
  if (kind === 'verifiable') return `{ kind: verifiable, probe: { tool: http.request, method: GET, url: '${url}' } }`;
  if (kind === 'compensable')
    return `{ kind: compensable, undo: { tool: http.request, method: DELETE, url: '${url}' } }`;
  return `{ kind: ${kind} }`;
}

function load(text: string): LoadedStrategy {
  const known = loaded.get(text);
  if (known !== undefined) return known;
  const parsed = parseStrategy('strategy.yaml', text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  loaded.set(text, parsed.value);
  return parsed.value;
}
