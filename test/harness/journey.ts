import { expect } from '@playwright/test';
import type { Page } from '@playwright/test';
import { AxeBuilder } from '@axe-core/playwright';
import { readFileSync } from 'node:fs';
import type { Receiver } from './receiver.ts';
import { writeStrategy } from './strategies.ts';
import type { TestedKind } from './strategies.ts';

/** The steps that a person takes in the window, the same in Electron and in a browser. */

/** Leaves the first-start pages behind. */
export async function skipOnboarding(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Skip, I’ll look around myself' }).click();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
}

/** Opens a page of the rail. */
export async function openPage(page: Page, name: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: new RegExp(`^${name}`, 'u') })
    .click();
}

/** Adds an agent by pasting its file. */
async function addAgent(page: Page, source: string): Promise<void> {
  await openPage(page, 'Agents');
  await page.getByRole('button', { name: 'New agent…' }).first().click();
  await page.getByRole('dialog').getByLabel('The file').fill(source);
  await page.getByRole('button', { name: 'Add the agent' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** Looks at what the open agent asks for, and permits exactly that. */
async function authorise(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Look and permit…' }).first().click();
  await page.getByRole('button', { name: 'Permit exactly this' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Revoke…' })).toBeVisible();
}

/** Runs the open agent with its default values. */
async function runNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('button', { name: 'Run it now' }).click();
  await expect(page.getByRole('tab', { name: /Timeline/u })).toBeVisible();
}

/** One agent of a journey: an effect at the receiver, whose answer never comes. */
interface JourneyAgent {
  readonly agentId: string;
  readonly kind: TestedKind;
  readonly choice: 'it-happened' | 'send-again' | 'stop-here' | 'undo-then-send';
}

const JOURNEY_AGENTS: readonly JourneyAgent[] = [
  { agentId: 'carry-on', kind: 'blind', choice: 'it-happened' },
  { agentId: 'send-again', kind: 'blind', choice: 'send-again' },
  { agentId: 'stop-here', kind: 'blind', choice: 'stop-here' },
  { agentId: 'undo-first', kind: 'compensable', choice: 'undo-then-send' },
];

/** Where an agent's effect arrives. */
function pathOf(agent: JourneyAgent): string {
  return `/${agent.kind}/${agent.agentId}`;
}

/** Adds, permits and runs every agent of the journey; all of their effects have arrived when it returns. */
export async function startAll(page: Page, receiver: Receiver): Promise<void> {
  receiver.behaviour = () => 'hang';
  for (const agent of JOURNEY_AGENTS) await start(page, receiver, agent);
  receiver.behaviour = () => 'answer';
}

/** The same for one of them. Whether its effect is still on its way then is for the receiver to say. */
export async function startOne(page: Page, receiver: Receiver, agentId: string): Promise<void> {
  const agent = JOURNEY_AGENTS.find((each) => each.agentId === agentId);
  if (agent === undefined) throw new Error(`There is no ${agentId} in the journey.`);
  await start(page, receiver, agent);
}

async function start(page: Page, receiver: Receiver, agent: JourneyAgent): Promise<void> {
  const file = writeStrategy({ ...agent, origin: receiver.origin, path: pathOf(agent), timeoutMs: 600_000 });
  await addAgent(page, readFileSync(file, 'utf8').replace(/name: .*/u, `name: Journey ${agent.agentId}`));
  await page.getByRole('link', { name: new RegExp(`Journey ${agent.agentId}`, 'u') }).click();
  await authorise(page);
  await runNow(page);
  await expect.poll(() => receiver.hits(pathOf(agent))).toBe(1);
}

const RADIO: Readonly<Record<JourneyAgent['choice'], RegExp>> = {
  'it-happened': /^It was sent/u,
  'send-again': /^It wasn’t sent: send/u,
  'undo-then-send': /[Uu]ndo/u,
  'stop-here': /^Stop here/u,
};

const BUTTON: Readonly<Record<JourneyAgent['choice'], string>> = {
  'it-happened': 'Carry on',
  'send-again': 'Send it now from this device',
  'undo-then-send': 'Undo it, then send from this device',
  'stop-here': 'Stop here',
};

/** Opens the unclear step of an agent in Needs you. */
async function openUnclear(page: Page, agent: JourneyAgent): Promise<void> {
  await openPage(page, 'Needs you');
  await page
    .getByRole('link', { name: new RegExp(`Journey ${agent.agentId}`, 'u') })
    .first()
    .click();
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
}

/** Answers the open unclear step; sends run their countdown out. */
async function decide(page: Page, choice: JourneyAgent['choice']): Promise<void> {
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
  await page.getByRole('radio', { name: RADIO[choice] }).click();
  await page.getByRole('button', { name: BUTTON[choice], exact: true }).click();
  // Once it is recorded there is nothing left to choose.
  await expect(page.getByRole('radio')).toHaveCount(0, { timeout: 45_000 });
}

/** What must be seen at the receiver and in the list after each answer. */
const EXPECTED: Readonly<Record<JourneyAgent['choice'], { readonly hits: number; readonly state: string }>> = {
  'it-happened': { hits: 1, state: 'Done' },
  'send-again': { hits: 2, state: 'Done' },
  'stop-here': { hits: 1, state: 'Stopped' },
  'undo-then-send': { hits: 2, state: 'Done' },
};

/** After the kill: nothing was repeated on a guess, every agent asks, and every answer does what it said. */
export async function decideAll(page: Page, receiver: Receiver): Promise<void> {
  await openPage(page, 'Needs you');
  await expect(page.getByRole('link', { name: /Journey/u })).toHaveCount(JOURNEY_AGENTS.length, { timeout: 30_000 });
  for (const agent of JOURNEY_AGENTS) expect(receiver.hits(pathOf(agent))).toBe(1);
  for (const agent of JOURNEY_AGENTS) {
    const { hits, state } = EXPECTED[agent.choice];
    await openUnclear(page, agent);
    await decide(page, agent.choice);
    await expect.poll(() => receiver.hits(pathOf(agent)), { timeout: 20_000 }).toBe(hits);
    await openPage(page, 'Runs');
    const row = page.getByRole('row', { name: new RegExp(`${state}.*Journey ${agent.agentId}`, 'u') });
    await expect(row).toBeVisible({ timeout: 20_000 });
  }
  expect(receiver.hits('/compensable/undo-first-undo')).toBe(1);
}

/** Nothing that axe can find is wrong, in both themes. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    const violations = found.violations.map(
      (each) => `${each.id}: ${each.nodes.map((node) => node.target.join(' ')).join(', ')}`,
    );
    expect(violations, `${where}, ${colorScheme}`).toEqual([]);
  }
}
