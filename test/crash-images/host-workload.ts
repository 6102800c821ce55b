import type { RunningHost } from '../../src/main/compose.ts';
import { startApplication } from '../../src/main/compose.ts';
import { readAll } from '../../src/main/store/connection.ts';
import type { AgentId, Digest } from '../../src/shared/contract/identifiers.ts';
import type { RecoveryChoice } from '../../src/shared/core/recovery/recovery-options.ts';
import { createFakeClock } from '../contract/fake-clock.ts';
import { must } from '../contract/sqlite-benches.ts';
import type { Receiver } from '../harness/receiver.ts';
import type { Random } from '../harness/random.ts';
import { registerFileOf } from './check-image.ts';
import type { SayMark } from './watch-store.ts';

/** How long a host may take to come to rest, ms; and how often it is looked at. */
const REST_LIMIT_MS = 60_000;
const LOOK_MS = 2;

const tool = (path: string, effect: string, next: string): string =>
  `{ type: tool, call: { tool: http.request, method: POST, url: 'ORIGIN/${path}/{{ run.id }}', body: hello, timeoutMs: 2000 }, effect: ${effect}, onSuccess: ${next}, onFailure: finish }`;

/** Every kind of effect, a question before one, and answers that never come: the word `cut` closes the line unanswered. */
const AGENTS: Readonly<Record<string, string>> = {
  plain: `start: first
states:
  first: ${tool('blind/first', '{ kind: blind }', 'second')}
  second: ${tool('keyed/second', '{ kind: idempotent-by-key, dedupeWindowMs: 3600000 }', 'finish')}
  finish: { type: done }`,
  asking: `start: ask
states:
  ask: { type: approve, question: Send it?, of: send, onSuccess: send, onFailure: finish }
  send: ${tool('blind/asked', '{ kind: blind }', 'finish')}
  finish: { type: done }`,
  unclear: `start: send
states:
  send: ${tool('blind/cut', '{ kind: blind }', 'after')}
  after: ${tool('blind/after', '{ kind: blind }', 'finish')}
  finish: { type: done }`,
  undoing: `start: send
states:
  send: ${tool('compensable/cut', `{ kind: compensable, undo: { tool: http.request, method: DELETE, url: 'ORIGIN/undo/{{ run.id }}' } }`, 'finish')}
  finish: { type: done }`,
};

interface Unclear {
  readonly attempt_token: string;
  readonly input_digest: Digest;
  readonly epoch: number;
  readonly agent_id: string;
}

/** The real host, driven through everything that it acknowledges, on a clock that only this moves. */
export class HostWorkload {
  readonly clock = createFakeClock();
  readonly #folder: string;
  readonly #registerFile: string | null;
  readonly #say: SayMark;
  readonly #random: Random;
  readonly #receiver: Receiver;
  readonly #cut = new Set<string>();
  #host: RunningHost | null = null;
  #presses = 0;

  constructor(of: { folder: string; hasRegisterFile: boolean; say: SayMark; random: Random; receiver: Receiver }) {
    this.#folder = of.folder;
    this.#registerFile = of.hasRegisterFile ? registerFileOf(of.folder) : null;
    this.#say = of.say;
    this.#random = of.random;
    this.#receiver = of.receiver;
    this.#receiver.behaviour = ({ key, path }) => {
      // The world has it, whatever becomes of the answer.
      if (key !== null) this.#say({ fact: 'hit', effectId: key });
      if (!path.includes('/cut/') || this.#cut.has(path)) return 'answer';
      this.#cut.add(path);
      return 'cut';
    };
  }

  get host(): RunningHost {
    if (this.#host === null) throw new Error('The host is not running.');
    return this.#host;
  }

  async start(): Promise<void> {
    const { clock } = this;
    const options = { surface: 'browser', version: '0.0.0-test', electronVersion: null, clock } as const;
    const file = this.#registerFile === null ? {} : { registerFile: this.#registerFile };
    this.#host = must(await startApplication({ profileFolder: this.#folder, ...options, ...file }));
    this.#say({ fact: 'device', deviceId: this.#host.control.device.deviceId });
  }

  /** `clean`: leases are given up first. Otherwise they stay behind, as after a crash, and have to run out. */
  async stop(of: { readonly isClean: boolean }): Promise<void> {
    const { host } = this;
    this.#host = null;
    if (of.isClean) await host.drain(5_000);
    await host.close();
  }

  async saveAgents(): Promise<void> {
    for (const [agentId, states] of Object.entries(AGENTS)) {
      const { origin } = this.#receiver;
      const head = `fencepost: 1\nid: ${agentId}\nname: Test ${agentId}\nscope: { hosts: ['${new URL(origin).host}'] }\n`;
      must(await this.host.control.saveAgent(`${agentId}.yaml`, `${head}${states.replaceAll('ORIGIN', origin)}\n`));
      await this.authorise(agentId as AgentId);
    }
  }

  async authorise(agentId: AgentId): Promise<void> {
    const { control } = this.host;
    must(await control.authorise(agentId, must(control.previewGrant(agentId)).previewDigest, 'Test'));
  }

  async press(agentId: string): Promise<void> {
    this.#presses += 1;
    const request = { agentId: agentId as AgentId, requestId: `press-${this.#presses}`, input: {}, by: 'Test' };
    must(await this.host.control.startRun(request));
  }

  /** One of everything, side by side, so that unlike transactions share a commit. */
  async round(): Promise<void> {
    const pressed = this.#random.shuffled(['plain', 'plain', 'asking', 'unclear', 'undoing']);
    await Promise.all(pressed.map((agentId) => this.press(agentId)));
    await this.rest();
  }

  /** Answers what is asked, until every run has ended. */
  async rest(): Promise<void> {
    const until = performance.now() + REST_LIMIT_MS;
    while (this.#rows('SELECT 1 FROM runs WHERE ending IS NULL').length > 0) {
      if (performance.now() > until) {
        const rows = this.#rows('SELECT agent_id, phase, state_id, last_event FROM runs WHERE ending IS NULL');
        throw new Error(`The host did not come to rest: ${JSON.stringify(rows)}`);
      }
      await this.#answerQuestions();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      // A hold-off ends by this clock alone.
      if (this.#isWaitingForTime()) this.clock.pass(500);
    }
  }

  async #answerQuestions(): Promise<void> {
    const { control } = this.host;
    const asked = this.#rows<{ approval_id: string; input_digest: Digest }>(
      `SELECT approval_id, input_digest FROM approvals WHERE state = 'open'`,
    );
    for (const { approval_id: approvalId, input_digest: inputDigest } of asked) {
      const isAllowed = this.#random.chance(0.8);
      await control.decideApproval({ approvalId, inputDigest, isAllowed, by: 'Test', reason: '' });
    }
    const unclear = this.#rows<Unclear>(
      `SELECT attempt_token, input_digest, epoch, agent_id FROM attempts
       WHERE in_doubt_at_ms IS NOT NULL AND decision IS NULL AND progress <> 'settled'`,
    );
    for (const each of unclear) {
      const choices: RecoveryChoice[] =
        each.agent_id === 'undoing' ? ['undo-then-send', 'it-happened'] : ['it-happened', 'send-again', 'stop-here'];
      const choice = choices[this.#random.below(choices.length)] ?? 'it-happened';
      const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = each;
      await control.resolveRecovery({ attemptToken, inputDigest, epoch, choice, by: 'Test', reason: 'because' });
    }
  }

  #isWaitingForTime(): boolean {
    const open = this.#rows<{ agent_id: AgentId }>('SELECT DISTINCT agent_id FROM runs WHERE ending IS NULL');
    return open.some(({ agent_id: agentId }) => {
      return this.host.control.leaseStatus(agentId).held?.standing.kind === 'hold-off';
    });
  }

  /** Renews what is held, gives up what is idle, and writes a setting. */
  async passTime(ms: number): Promise<void> {
    this.clock.pass(ms);
    this.host.suspend();
    this.#presses += 1;
    const name = String(this.#presses);
    must(await this.host.control.setDeviceName(name));
    this.#say({ fact: 'setting', key: 'device-name', value: name });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** The person or the idle time brings the log into the file. */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    this.host.control.connection()?.db.pragma(`wal_checkpoint(${mode})`);
  }

  #rows<Row>(sql: string): Row[] {
    const connection = this.host.control.connection();
    return connection === null ? [] : readAll<Row>(connection.db, sql);
  }
}

/** A whole life of a profile: first start, work, time that passes, a clean restart and one after a crash. */
export async function liveWholeLife(workload: HostWorkload, rounds: number): Promise<void> {
  await workload.start();
  await workload.saveAgents();
  for (let round = 0; round < rounds; round += 1) {
    await workload.round();
    await workload.passTime(6_000);
    workload.checkpoint(round % 2 === 0 ? 'TRUNCATE' : 'PASSIVE');
  }
  await workload.stop({ isClean: true });
  await workload.start();
  await workload.round();
  await workload.press('plain');
  await workload.stop({ isClean: false });
  // The leases of the one before have to run out; then comes the hold-off, and with it claims that wait.
  workload.clock.pass(20_000);
  await workload.start();
  await workload.rest();
  await workload.round();
  await workload.stop({ isClean: true });
}
