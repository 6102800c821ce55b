import type { ToolName } from '../../../shared/contract/tool-calls.ts';
import type { ToolCase } from '../../../shared/contract/tool-views.ts';
import type { EffectKind } from '../../../shared/core/effect/effect-kind.ts';

/** The words about tools and the kinds of their effects. */
export const toolsText = {
  title: 'Tools',
  lede: 'What agents can do from this device. The kind says what happens when nobody can know whether a step took place.',
  list: 'Tools of this device',
  kinds: 'What the kinds mean',
  declared: 'An agent’s file can declare a kind for a step. You see it before you permit the agent.',
  nobody: 'No agent uses it',
  problem: 'The tools can’t be read.',
  usedBy: (names: readonly string[]): string => {
    const [first = '', second = ''] = names;
    if (names.length < 3) return `Used by ${names.join(' and ')}`;
    return `Used by ${first}, ${second} and ${names.length - 2} more`;
  },
} as const;

export const toolNames: Readonly<Record<ToolName, string>> = {
  shell: 'Programs',
  script: 'Scripts',
  'file.write': 'Writing files',
  'http.request': 'Web requests',
  'mail.send': 'Mail',
  'mcp.call': 'Tool servers (MCP)',
  'model.call': 'Models',
};

export const caseWords: Readonly<Record<ToolCase, string>> = {
  always: '',
  reading: 'GET and HEAD',
  changing: 'all others',
  'with-sent-folder': 'with a folder of sent mail',
  'without-sent-folder': 'without one',
};

/** A word for a kind, and in one sentence what becomes of a step that nobody knows about. */
export const kindWords: Readonly<Record<EffectKind, { readonly name: string; readonly meaning: string }>> = {
  'read-only': { name: 'Only reads', meaning: 'It changes nothing, so it is simply done again.' },
  'idempotent-by-key': {
    name: 'Safe to repeat',
    meaning: 'It is done again with the same key, which the other side recognises, as long as it remembers it.',
  },
  verifiable: {
    name: 'Can be checked',
    meaning: 'It is looked up whether it happened, and done again only if it certainly did not.',
  },
  compensable: {
    name: 'Can be undone',
    meaning: 'You are asked, and can have it undone before it is done again.',
  },
  blind: { name: 'Can’t be undone', meaning: 'It is never repeated by itself. You are asked, with what is known.' },
};
