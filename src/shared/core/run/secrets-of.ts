import type { Strategy } from '../../contract/strategy.ts';

/** What a person or a tool fills in: a member called `secret` in here is just a name. */
const FREE_TEXT = new Set(['input', 'arguments', 'parameters', 'env', 'headers', 'effects']);

/** The names of all secrets that a strategy would use, sorted. A person sees them before a permission is given. */
export function secretsOf(strategy: Strategy): readonly string[] {
  const names = new Set<string>();
  collect(strategy, names);
  return [...names].toSorted();
}

function collect(node: unknown, names: Set<string>): void {
  if (node === null || typeof node !== 'object') return;
  for (const [key, member] of Object.entries(node)) {
    if (FREE_TEXT.has(key)) continue;
    if (key === 'secret' && typeof member === 'string') names.add(member);
    if (key === 'secretEnv') for (const name of Object.values(member as Record<string, string>)) names.add(name);
    collect(member, names);
  }
}
