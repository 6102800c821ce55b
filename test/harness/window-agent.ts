import type { ApprovalView, ControlView } from '../../src/shared/contract/decision-views.ts';
import type { AgentDetailView } from '../../src/shared/contract/views.ts';
import { agentIdOf, runRows } from './window-rows.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const SOURCE = `fencepost: 1
id: site-keeper
name: Site keeper
summary: Publish and tag a release
input: { release: { title: Release, default: v2.4.1 } }
scope: { programs: [git] }
start: publish
states:
  publish: { type: tool, title: Publish the site, onSuccess: ask }
  ask: { type: approve, question: 'Tag release {{ input.release }}?', of: tag, onSuccess: tag }
  tag: { type: tool, title: Tag the release, effect: { kind: blind }, onSuccess: finish }
  finish: { type: done }
`;

const node = (stateId: string, title: string, change: Partial<AgentDetailView['nodes'][number]> = {}) =>
  ({ stateId, type: 'tool', title, note: '', isStart: false, mark: 'none', ...change }) as const;

/** One agent with a permission, a standing permission and some runs. */
export function agentDetail(nowMs: number, change: Partial<AgentDetailView> = {}): AgentDetailView {
  const name = 'Site keeper';
  return {
    sequence: 1,
    agent: {
      agentId: agentIdOf(name),
      name,
      description: 'Publishes the site and tags each release, once you have said so.',
      status: 'ready',
      lastRunAtMs: nowMs - 8 * MINUTE,
      isSample: false,
    },
    revisionDigest: 'a'.repeat(64),
    source: SOURCE,
    input: [{ key: 'release', title: 'Release', description: 'The tag that is set.', default: 'v2.4.1' }],
    nodes: [
      node('publish', 'Publish the site', { isStart: true, mark: 'done', note: 'git push' }),
      node('ask', 'Tag release?', { type: 'approve', mark: 'needs' }),
      node('tag', 'Tag the release', { note: 'git tag' }),
      node('finish', 'Done', { type: 'done' }),
    ],
    edges: [
      { from: 'publish', to: 'ask', label: '', kind: 'success' },
      { from: 'ask', to: 'tag', label: 'allowed', kind: 'success' },
      { from: 'tag', to: 'finish', label: '', kind: 'success' },
    ],
    asks: [
      { icon: 'terminal', sentence: 'Run the program git', badge: 'Can’t be undone' },
      { icon: 'folder', sentence: 'Read and write in /home/ana/site', badge: 'Can be looked up' },
    ],
    previewDigest: 'b'.repeat(64),
    grant: {
      grantDigest: 'c'.repeat(64),
      givenAtMs: nowMs - 9 * DAY,
      by: 'You',
      isForThisRevision: true,
      isInForce: true,
      whyNot: '',
      expiresAtMs: null,
      devices: 'on every device of yours',
      used: 12,
    },
    standing: [
      {
        standingId: 'standing-1',
        sentence: 'Questions of this agent at “Tag release?” are answered with yes.',
        scope: 'The same target',
        givenAtMs: nowMs - 2 * 60 * MINUTE,
        by: 'You',
        expiresAtMs: nowMs + 5 * DAY,
      },
    ],
    hold: null,
    runs: runRows(nowMs, 16).filter((row) => row.agentName === name),
    lease: null,
    ...change,
  };
}

/** What stopping or pausing an agent would mean now. */
export function controlView(name: string | null): ControlView {
  return {
    sequence: 1,
    name,
    openRuns: 2,
    inFlight: ['Publish the site'],
    hold: null,
    stop: ['Two runs end.', '“Publish the site” is on its way: it is followed to its end, and its outcome is kept.'],
    pause: ['Two runs wait until you resume.', '“Publish the site” is on its way and is followed to its end.'],
  };
}

/** A question about a program, with a character in it that nobody sees. */
export function approvalView(nowMs: number, number: number): ApprovalView {
  const run = runRows(nowMs, 16).find((row) => row.agentName === 'Site keeper');
  if (run === undefined) throw new Error('The fixture has a run of Site keeper.');
  const text = `{"argv":["git","tag","v2.4.${number}"]}`;
  return {
    sequence: 1,
    approvalId: `approve-${number}`,
    run: { ...run, number },
    question: `Tag release v2.4.${number}?`,
    title: 'Tag the release',
    target: '/home/ana/site',
    tool: 'shell',
    effectKind: 'blind',
    why: 'Its file asks a person before this step.',
    deviceName: 'This Mac',
    input: { text, bytes: text.length, digest: 'e'.repeat(64), isCut: false },
    inputDigest: 'f'.repeat(64),
    argv: ['git', 'tag', '--message', `Release v2.4.${number}`, `v2.4.${number}\u202E`],
    askedAtMs: nowMs - 8 * MINUTE,
    expiresAtMs: nowMs + 22 * MINUTE,
    state: 'open',
    staleWhy: '',
    decided: null,
    scopes: [
      { scope: 'same-target', label: 'The same target', covers: 'Anything at this step in /home/ana/site.' },
      { scope: 'same-input', label: 'Exactly this', covers: 'Only these arguments, letter by letter.' },
    ],
  };
}
