import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { answerOutlook } from '../../../shared/core/recovery/await-answer.ts';
import type { AnswerOutlook, JournalStanding } from '../../../shared/core/recovery/await-answer.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { endAwaited, findAwaited, forgetAwaited, readAwaited, writeAwaited } from '../../store/awaited-answers.ts';
import { readOne } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import { doubtsOf } from '../../store/recovery-now.ts';
import { claimOf, findAttempt } from '../../store/rows.ts';
import type { AttemptRecord } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { Signal } from '../signal.ts';
import { isSharing } from './answers.ts';
import type { SyncStatus } from './sync-control.ts';

/** Waiting for another device's answer, for the doors of a host. It decides nothing, and nothing is sent. */
export interface AwaitedControl {
  /** Whether waiting could bring an answer about an attempt, as it stands now. */
  outlookOf(attempt: AttemptRecord): AnswerOutlook;
  /** When the device was last in contact with the relay, by the relay's clock, wall ms; `null` where nobody says. */
  lastSeenMs(deviceId: string): number | null;
  /** Begins to wait, or goes on; answers the device that is waited for. Errors `not-found`, `not-offered`. */
  begin(attemptToken: string): Promise<Result<{ readonly deviceId: DeviceId }, Problem>>;
  /** The person takes the waiting back: it is a plain question again. */
  takeBack(attemptToken: string): Promise<Result<null, Problem>>;
}

interface AwaitedAnswersOptions {
  readonly store: Store;
  readonly deviceId: DeviceId;
  readonly wallMs: () => number;
  /** How the exchange of journals stands; `null` while nothing is shared. */
  readonly status: () => SyncStatus | null;
  /** Whether a device was removed from those that share the right to act. */
  readonly isRemoved: (deviceId: string) => boolean;
}

/** Remembers which unclear steps a person waits for, and ends the waiting as soon as nothing more can come of it. */
export class AwaitedAnswers implements AwaitedControl {
  readonly #of: AwaitedAnswersOptions;
  /** A question went to those that wait, or came back. No entry of the journal tells of it. */
  readonly changed = new Signal();
  #looking: Promise<void> | null = null;
  #isStale = false;
  readonly #ends: (() => void)[] = [];

  constructor(of: AwaitedAnswersOptions) {
    this.#of = of;
  }

  /** Looks now, after every commit, and whenever `news` tell of the exchange of journals or of devices. */
  start(news: Signal): void {
    const look = (): void => void this.look();
    this.#ends.push(this.#of.store.onCommit(look), news.on(look));
    look();
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await this.#looking;
  }

  outlookOf(attempt: AttemptRecord): AnswerOutlook {
    const connection = this.#of.store.connection();
    return connection === null ? { kind: 'nobody' } : this.#outlook(connection, attempt);
  }

  lastSeenMs(deviceId: string): number | null {
    return this.#member(deviceId)?.lastSeenAtMs ?? null;
  }

  async begin(attemptToken: string): Promise<Result<{ readonly deviceId: DeviceId }, Problem>> {
    const written = await this.#of.store.write((connection) => {
      const attempt = findAttempt(connection.db, attemptToken);
      if (attempt === null) return err(problem('not-found', 'There is no such step any more.'));
      const deviceId = claimOf(attempt)?.owner.deviceId;
      if (deviceId === undefined || this.#outlook(connection, attempt).kind !== 'may-come') return err(NOTHING_TO_COME);
      const known = findAwaited(connection.db, attemptToken);
      if (known === null || known.endedAtMs !== null)
        writeAwaited(connection.db, { attemptToken, deviceId, sinceMs: this.#of.wallMs() });
      return ok({ deviceId });
    });
    if (!written.ok) return written;
    if (written.value.ok) this.changed.tell();
    return written.value;
  }

  async takeBack(attemptToken: string): Promise<Result<null, Problem>> {
    const written = await this.#of.store.write(({ db }) => forgetAwaited(db, attemptToken));
    if (!written.ok) return written;
    this.changed.tell();
    return ok(null);
  }

  /** Ends what is over and forgets what is decided; resolves when that is written down. */
  look(): Promise<void> {
    this.#isStale = true;
    this.#looking ??= this.#lookWhileStale().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #lookWhileStale(): Promise<void> {
    // Not within the commit that is being told of.
    await Promise.resolve();
    while (this.#isStale) {
      this.#isStale = false;
      const connection = this.#of.store.connection();
      if (connection === null || !this.#isAnythingOver(connection)) return;
      const written = await this.#of.store.write((within) => this.#endWhatIsOver(within));
      if (!written.ok) return;
      this.changed.tell();
    }
  }

  #isAnythingOver(connection: Connection): boolean {
    return readAwaited(connection.db).some(({ attemptToken, endedAtMs }) => {
      const kind = this.#kindOf(connection, attemptToken);
      return kind === 'nobody' || (kind === 'over' && endedAtMs === null);
    });
  }

  #endWhatIsOver(connection: Connection): void {
    const atMs = this.#of.wallMs();
    for (const { attemptToken } of readAwaited(connection.db)) {
      const attempt = findAttempt(connection.db, attemptToken);
      const outlook = attempt === null ? null : this.#outlook(connection, attempt);
      if (outlook === null || outlook.kind === 'nobody') forgetAwaited(connection.db, attemptToken);
      else if (outlook.kind === 'over') endAwaited(connection.db, attemptToken, { because: outlook.because, atMs });
    }
  }

  #kindOf(connection: Connection, attemptToken: string): AnswerOutlook['kind'] {
    const attempt = findAttempt(connection.db, attemptToken);
    return attempt === null ? 'nobody' : this.#outlook(connection, attempt).kind;
  }

  #outlook(connection: Connection, attempt: AttemptRecord): AnswerOutlook {
    const madeBy = claimOf(attempt)?.owner.deviceId ?? null;
    return answerOutlook({
      isOpen: attempt.in_doubt_at_ms !== null && attempt.progress !== 'settled' && attempt.decision === null,
      hasEvidence: attempt.evidence !== null,
      thisDevice: this.#of.deviceId,
      madeBy,
      journal: madeBy === null ? 'not-shared' : this.#journalOf(connection, madeBy),
      doubts: doubtsOf(connection, attempt),
      acknowledged: madeBy === null ? null : (this.#member(madeBy)?.acknowledged ?? null),
      foldedSeq: madeBy === null ? 0 : readJournalHead(connection.db, madeBy).seq,
    });
  }

  #journalOf(connection: Connection, deviceId: DeviceId): JournalStanding {
    const { db } = connection;
    const sql = 'SELECT let_go_at_ms AS letGoAtMs FROM sync_devices WHERE device_id = ?';
    const known = readOne<{ letGoAtMs: number | null }>(db, sql, deviceId);
    if (!isSharing(connection) || known === null) return 'not-shared';
    if (known.letGoAtMs !== null) return 'let-go';
    if (this.#of.isRemoved(deviceId)) return 'removed';
    const isAside = readOne(db, 'SELECT 1 FROM quarantines WHERE device_id = ?', deviceId) !== null;
    return isAside ? 'set-aside' : 'shared';
  }

  #member(deviceId: string) {
    return this.#of.status()?.relay?.members.find((member) => member.deviceId === deviceId) ?? null;
  }
}

const NOTHING_TO_COME = problem(
  'not-offered',
  'Nothing more can come of waiting here.',
  'Look again: what is known may have changed.',
);
