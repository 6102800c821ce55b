import { readAll } from '../../src/main/store/connection.ts';
import type { ApprovalRecord, AttemptRecord, RunRecord } from '../../src/main/store/rows.ts';
import type { RecoveryChoice } from '../../src/shared/core/recovery/recovery-options.ts';
import { NATURE } from './event-queue.ts';
import type { EventQueue } from './event-queue.ts';
import type { Random } from '../harness/random.ts';
import type { Raises } from './raises.ts';
import type { SimDevice } from './sim-device.ts';
import type { LoadedStrategy } from '../../src/main/strategy/load-strategy.ts';

const CHOICES: readonly RecoveryChoice[] = ['it-happened', 'send-again', 'undo-then-send', 'stop-here'];

/** Decides late, twice, wrongly, and on two devices at once, as people do. */
export class Person {
  approvedTwice = 0;
  decidedTwice = 0;
  answered = 0;
  readonly #queue: EventQueue;
  readonly #random: Random;
  readonly #devices: readonly SimDevice[];
  readonly #strategies: readonly LoadedStrategy[];
  readonly raises: Raises;
  #presses = 0;

  constructor(of: {
    queue: EventQueue;
    random: Random;
    devices: readonly SimDevice[];
    strategies: readonly LoadedStrategy[];
    raises: Raises;
  }) {
    this.#queue = of.queue;
    this.#random = of.random;
    this.#devices = of.devices;
    this.#strategies = of.strategies;
    this.raises = of.raises;
  }

  /** Does one thing after the other, as long as nothing is over; `everyMs` passes between two, on average. */
  begin(random: Random, of: { readonly everyMs: number; readonly isOver: () => boolean }): void {
    const gapMs = -Math.log(1 - random.next()) * of.everyMs;
    this.#queue.after(gapMs, NATURE, () => {
      if (of.isOver()) return;
      this.act();
      this.begin(random, of);
    });
  }

  /** One thing out of everything a person can do. */
  act(): void {
    this.raises.look();
    const random = this.#random;
    const draw = random.next();
    if (draw < 0.45) return this.#press();
    if (draw < 0.65)
      return this.#answerRecoveries(
        () => random.chance(0.5),
        () => random.pick(CHOICES),
      );
    if (draw < 0.82)
      return this.#answerApprovals(
        () => random.chance(0.6),
        () => random.chance(0.8),
      );
    if (draw < 0.87) return this.#control(random.pick(this.#devices));
    if (draw < 0.9) return this.#takeBack(random.pick(this.#devices));
    if (draw < 0.92) return this.#revoke(random.pick(this.#devices));
    for (const { strategy } of this.#strategies) for (const device of this.#devices) void device.authorise(strategy.id);
  }

  /** The same occurrence on one device or on several: a slot that all of them saw, or a button pressed on two. */
  #press(): void {
    this.#presses += 1;
    const requestId = `press-${this.#presses}`;
    const agentId = this.#random.pick(this.#strategies).strategy.id;
    const isOnAll = this.#random.chance(0.6);
    const chosen = isOnAll ? this.#devices : [this.#random.pick(this.#devices)];
    for (const device of chosen) {
      this.#queue.after(Math.min(this.#random.heavyTail(3_000), 30_000), NATURE, () => {
        void device.control?.startRun({ agentId, requestId, input: {}, by: 'Person' });
      });
    }
  }

  #rows<Row>(device: SimDevice, sql: string): Row[] {
    const connection = device.openConnection();
    return connection === null ? [] : readAll<Row>(connection.db, sql);
  }

  #answerRecoveries(isWanted: () => boolean, choose: () => RecoveryChoice): void {
    for (const device of this.#devices) {
      const open = this.#rows<AttemptRecord>(
        device,
        `SELECT * FROM attempts WHERE in_doubt_at_ms IS NOT NULL AND progress <> 'settled' AND decision IS NULL`,
      );
      for (const attempt of open) if (isWanted()) this.#decide(device, attempt, choose());
    }
  }

  #decide(device: SimDevice, attempt: AttemptRecord, choice: RecoveryChoice): void {
    const decide = async (): Promise<void> => {
      const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = attempt;
      const made = { attemptToken, inputDigest, epoch, choice, by: 'Person', reason: '' };
      const answer = await device.control?.resolveRecovery(made);
      if (answer?.ok === true) this.answered += 1;
      if (answer?.ok === false && answer.error.code === 'already-decided') this.decidedTwice += 1;
    };
    void decide();
    if (this.#random.chance(0.2)) this.#queue.after(this.#random.heavyTail(1_000), NATURE, () => void decide());
  }

  #answerApprovals(isWanted: () => boolean, isAllowed: () => boolean): void {
    for (const device of this.#devices) {
      for (const approval of this.#rows<ApprovalRecord>(device, `SELECT * FROM approvals WHERE state = 'open'`))
        if (isWanted()) this.#approve(device, approval, isAllowed());
    }
  }

  #approve(device: SimDevice, approval: ApprovalRecord, isAllowed: boolean): void {
    const { approval_id: approvalId, input_digest: inputDigest } = approval;
    const decide = async (): Promise<void> => {
      const answer = await device.control?.decideApproval({
        approvalId,
        inputDigest,
        isAllowed,
        by: 'Person',
        reason: '',
      });
      if (answer?.ok === false && answer.error.code === 'already-decided') this.approvedTwice += 1;
    };
    void decide();
    if (this.#random.chance(0.3)) void decide();
  }

  #control(device: SimDevice): void {
    const open = this.#rows<RunRecord>(device, 'SELECT * FROM runs WHERE ending IS NULL');
    if (open.length === 0 || device.control === null) return;
    const { run_id: runId } = this.#random.pick(open);
    const draw = this.#random.next();
    if (draw < 0.3) void device.control.stopRun(runId, 'Person');
    else if (draw < 0.65) void device.control.pauseRun(runId, 'Person');
    else void device.control.resumeRun(runId, 'Person');
  }

  #takeBack(device: SimDevice): void {
    const decided = this.#rows<AttemptRecord>(device, 'SELECT * FROM attempts WHERE decision IS NOT NULL');
    if (decided.length > 0) void device.control?.reopenRecovery(this.#random.pick(decided).attempt_token, 'Person');
  }

  #revoke(device: SimDevice): void {
    void device.control?.revoke(this.#random.pick(this.#strategies).strategy.id, 'Person');
  }

  /** At the end everything is allowed, resumed and answered; nothing is sent again. */
  finish(): void {
    this.raises.finish();
    for (const device of this.#devices) {
      for (const { strategy } of this.#strategies) void device.authorise(strategy.id);
      for (const { run_id: runId } of this.#rows<RunRecord>(device, 'SELECT * FROM runs WHERE barrier_active = 1'))
        void device.control?.resumeRun(runId, 'Person');
    }
    this.#answerApprovals(
      () => true,
      () => true,
    );
    this.#answerRecoveries(
      () => true,
      () => 'stop-here',
    );
  }
}
