// The takeover story in a terminal: two hosts on this machine are paired with one hub; the first is killed between an effect
// and its record, the second takes over. Ends with the counts of an independent receiver; exit code 0 only if all are right.
// With `--register-file` they share a file instead of a hub.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { HostProcess } from '../test/harness/host-process.ts';
import { HubProcess, useHub } from '../test/harness/hub-in-terminal.ts';
import { Receiver } from '../test/harness/receiver.ts';
import { temporaryFolder, writeStrategy } from '../test/harness/strategies.ts';
import type { TestedKind } from '../test/harness/strategies.ts';

interface Story {
  readonly agentId: string;
  readonly kind: TestedKind;
  readonly words: string;
  /** Whether the first device gets an answer before it dies. */
  readonly isAnswered: boolean;
  readonly expected: {
    readonly hits: number;
    readonly effects: number;
    readonly ending: string | null;
    readonly how: string;
  };
}

const STORIES: readonly Story[] = [
  {
    agentId: 'done',
    kind: 'blind',
    words: 'recorded before the kill',
    isAnswered: true,
    expected: { hits: 1, effects: 1, ending: 'done', how: 'found in the tail, not repeated' },
  },
  {
    agentId: 'keyed',
    kind: 'keyed',
    words: 'idempotent by key',
    isAnswered: false,
    expected: { hits: 1, effects: 1, ending: null, how: 'left for a person: when its key was first used is not known' },
  },
  {
    agentId: 'verifiable',
    kind: 'verifiable',
    words: 'verifiable',
    isAnswered: false,
    expected: { hits: 1, effects: 1, ending: 'done', how: 'settled by looking, not repeated' },
  },
  {
    agentId: 'blind',
    kind: 'blind',
    words: 'blind',
    isAnswered: false,
    expected: { hits: 1, effects: 1, ending: null, how: 'left for a person' },
  },
];

const startedAt = Date.now();
const isColoured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const paint = (code: number, text: string): string => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text);
const pathOf = (story: Story): string => `/${story.kind}/${story.agentId}`;

function tell(who: string, text: string): void {
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1).padStart(5);
  process.stdout.write(`${paint(2, `${seconds} s`)}  ${who.padEnd(9)} ${text}\n`);
}

async function startRuns(host: HostProcess, receiver: Receiver): Promise<void> {
  for (const story of STORIES) {
    const saved = await host.save(
      writeStrategy({
        agentId: story.agentId,
        kind: story.kind,
        origin: receiver.origin,
        path: pathOf(story),
        timeoutMs: 60_000,
      }),
    );
    if (JSON.stringify(saved).includes('"ok":false'))
      throw new Error(`The agent ${story.agentId} was not accepted: ${JSON.stringify(saved)}`);
    await host.control('startRun', {
      agentId: story.agentId,
      requestId: 'the-seven-o-clock-slot',
      input: {},
      by: 'demo',
    });
  }
}

/** Where the two devices keep the right to act: a hub in a process of its own, or a file. */
type Place = { readonly hub: HubProcess } | { readonly registerFile: string };

async function startDevice(name: string, place: Place): Promise<HostProcess> {
  const profileFolder = temporaryFolder();
  if ('registerFile' in place) return HostProcess.start({ profileFolder, registerFile: place.registerFile });
  const host = await HostProcess.start({ profileFolder });
  await host.call('settings.set', { deviceName: name });
  await useHub(host, place.hub);
  tell(name, 'is paired with the hub: both showed the same six words');
  return host;
}

async function laptopDies(receiver: Receiver, place: Place): Promise<void> {
  const answered = new Set(STORIES.filter((story) => story.isAnswered).map(pathOf));
  receiver.behaviour = (request) => (answered.has(request.path) ? 'answer' : 'hang');
  const laptop = await startDevice('Laptop', place);
  tell('Laptop', 'has started, and runs four agents');
  await startRuns(laptop, receiver);
  await laptop.until<{ ending: string | null }>(
    `SELECT ending FROM runs WHERE agent_id = 'done'`,
    ([run]) => run?.ending === 'done',
  );
  while (STORIES.some((story) => receiver.hits(pathOf(story)) === 0))
    await new Promise((resolve) => setTimeout(resolve, 20));
  tell('Receiver', 'has all four effects; three answers are still on their way');
  laptop.kill('SIGKILL');
  await laptop.exited;
  tell('Laptop', paint(31, 'SIGKILL, between the effects and their records'));
}

function waitsForPerson(agentId: string): boolean {
  return STORIES.some((story) => story.agentId === agentId && story.expected.ending === null);
}

async function desktopTakesOver(receiver: Receiver, place: Place): Promise<boolean> {
  receiver.behaviour = () => 'answer';
  const desktop = await startDevice('Desktop', place);
  tell('Desktop', 'has started, and is asked for the same four runs');
  await startRuns(desktop, receiver);
  const acquired = `SELECT payload FROM ops WHERE kind = 'lease.acquired'`;
  await desktop.until(acquired, (rows) => rows.length > 0);
  tell('Desktop', 'has the right to act: the laptop’s lease ran out; now it waits 3.5 s more');
  const isOver = (rows: { ending: string | null; phase: string; agent_id: string }[]): boolean =>
    rows.length === STORIES.length &&
    rows.every((run) => run.ending !== null || (waitsForPerson(run.agent_id) && run.phase === 'needs-recovery'));
  const runs = await desktop.until<{ ending: string | null; phase: string; agent_id: string }>(
    'SELECT agent_id, ending, phase FROM runs',
    isOver,
  );
  tell('Desktop', 'has done all that can be done without a person');
  const isRight = STORIES.map((story) =>
    compare(story, receiver, runs.find((run) => run.agent_id === story.agentId)?.ending ?? null),
  ).every(Boolean);
  desktop.kill();
  return isRight;
}

function compare(story: Story, receiver: Receiver, ending: string | null): boolean {
  const hits = receiver.hits(pathOf(story));
  const effects = receiver.effects(pathOf(story));
  const { expected } = story;
  const isRight = hits === expected.hits && effects === expected.effects && ending === expected.ending;
  const sign = isRight ? paint(32, '✓') : paint(31, '✗');
  const requests = hits === 1 ? '1 request ' : `${hits} requests`;
  process.stdout.write(
    `${sign} ${story.words.padEnd(26)} ${requests}  ${effects} effect   ${isRight ? expected.how : `expected ${JSON.stringify(expected)}, run ended: ${String(ending)}`}\n`,
  );
  return isRight;
}

const receiver = await Receiver.start();
const folder = temporaryFolder();
const place: Place = process.argv.includes('--register-file')
  ? { registerFile: join(folder, 'register.sqlite') }
  : { hub: await HubProcess.start(join(folder, 'hub')) };
await laptopDies(receiver, place);
const isRight = await desktopTakesOver(receiver, place);
if ('hub' in place) await place.hub.stop();
await receiver.close();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(
  isRight
    ? '\nEvery effect happened once. Those that nobody can know about wait for a person.\n'
    : '\nA count is wrong.\n',
);
process.exit(isRight ? 0 : 1);
