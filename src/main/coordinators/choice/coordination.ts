import type { CoordinatorChoice, CoordinatorSecrets } from '../../../shared/contract/coordinator-requests.ts';
import type { CoordinatorCheck, MoveView } from '../../../shared/contract/coordinator-views.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Mover, MoveTarget } from '../../host/move/mover.ts';
import type { Store } from '../../store/store.ts';
import type { ChosenCoordinator, CurrentCoordinator } from '../current-coordinator.ts';
import { EMBEDDED, readChoice, readMove, writeChoice, writeMove } from './kept-choice.ts';
import { etcdOptions, keepSecrets, nameOf, openChosen, postgresOptions } from './open-chosen.ts';
import type { OpeningParts } from './open-chosen.ts';
import { tryChoice } from './try-choice.ts';

interface CoordinationOptions {
  readonly store: Store;
  readonly parts: OpeningParts;
  readonly current: CurrentCoordinator;
  readonly mover: Mover;
}

/** What the window shows of the choice besides what the register itself says. */
export interface CoordinationFacts {
  readonly choice: CoordinatorChoice;
  readonly name: string;
  readonly trouble: Problem | null;
  readonly warning: string;
  readonly canConfirmRestore: boolean;
  readonly move: MoveView | null;
}

/** Where the right to act of this profile is kept, and how a person changes that. */
export class Coordination {
  readonly #of: CoordinationOptions;

  constructor(of: CoordinationOptions) {
    this.#of = of;
  }

  /** @throws Error while the record is not open. */
  facts(): CoordinationFacts {
    const { store, current, mover } = this.#of;
    const { choice } = readChoice(store);
    const { trouble } = current;
    return {
      choice,
      name: current.name,
      trouble,
      warning: current.warning,
      canConfirmRestore: isServer(choice) && trouble?.code === 'register-went-back',
      move: mover.view(),
    };
  }

  /** Tries a choice and changes nothing. */
  async try(choice: CoordinatorChoice, secrets: CoordinatorSecrets): Promise<readonly CoordinatorCheck[]> {
    return tryChoice(choice, secrets, this.#of.parts);
  }

  /**
   * Moves every agent there and uses it from then on. The wish is durable before anything is moved: a host that starts again
   * goes on with it.
   */
  async move(choice: CoordinatorChoice, secrets: CoordinatorSecrets, by: string): Promise<Result<null, Problem>> {
    const { store, parts } = this.#of;
    const kept = await keepSecrets(choice, secrets, parts.keys);
    if (!kept.ok) return kept;
    const prepared = await this.#prepare(choice);
    if (!prepared.ok) return prepared;
    const begun = await writeMove(store, { choice, by });
    return begun.ok ? this.#start(choice, by) : begun;
  }

  /** A register of its own on a new database is made by whoever chooses it. */
  async #prepare(choice: CoordinatorChoice): Promise<Result<null, Problem>> {
    const { parts } = this.#of;
    if (choice.kind !== 'postgres') return ok(null);
    const { installPostgresRegister } = await import('../postgres/postgres-install.ts');
    return installPostgresRegister(await postgresOptions(choice, parts));
  }

  #start(choice: CoordinatorChoice, by: string): Result<null, Problem> {
    const { mover, store, parts } = this.#of;
    const name = nameOf(choice, parts.memory);
    const target: MoveTarget = {
      name,
      identity: null,
      by,
      open: () => openChosen(choice, parts),
      keep: ({ identity }) => writeChoice(store, choice.kind === 'embedded' ? EMBEDDED : { choice, name, identity }),
    };
    return mover.start(target);
  }

  /** Goes on with a move that a restart has interrupted. */
  resume(): void {
    const move = readMove(this.#of.store);
    if (move !== null) this.#start(move.choice, move.by);
  }

  async cancelMove(): Promise<Result<null, Problem>> {
    await this.#of.mover.cancel();
    const written = await writeMove(this.#of.store, null);
    return written.ok ? ok(null) : written;
  }

  /** A person says that the server is the right one although it is another, or was put back: it gets a new life. */
  async confirmRestore(): Promise<Result<null, Problem>> {
    const { store, parts, current } = this.#of;
    const { choice, name } = readChoice(store);
    if (!isServer(choice)) return err(problem('not-offered', 'Only a server can have been put back from a copy.'));
    const confirmed = await confirm(choice, parts);
    if (!confirmed.ok) return confirmed;
    const opened = await openChosen(choice, parts);
    if (!opened.ok) return opened;
    const { identity } = opened.value;
    const written = await writeChoice(store, { choice, name, identity });
    if (!written.ok) {
      await opened.value.close();
      return written;
    }
    await current.change(chosenOf({ choice, name, identity }, parts), opened.value);
    return ok(null);
  }
}

/** What a profile has chosen, to be opened when it is needed. @throws Error where that does not read back. */
export function chosenFrom(store: Store, parts: OpeningParts): ChosenCoordinator {
  return chosenOf(readChoice(store), parts);
}

function chosenOf(kept: ReturnType<typeof readChoice>, parts: OpeningParts): ChosenCoordinator {
  const { choice, name, identity } = kept;
  return { name, identity, open: () => openChosen(choice, parts) };
}

async function confirm(
  choice: Extract<CoordinatorChoice, { kind: 'postgres' | 'etcd' }>,
  parts: OpeningParts,
): Promise<Result<unknown, Problem>> {
  if (choice.kind === 'postgres') {
    const { confirmRestore } = await import('../postgres/postgres-install.ts');
    return confirmRestore(await postgresOptions(choice, parts));
  }
  const { confirmEtcdRestore } = await import('../etcd/etcd-coordinator.ts');
  return confirmEtcdRestore(await etcdOptions(choice, parts));
}

function isServer(choice: CoordinatorChoice): choice is Extract<CoordinatorChoice, { kind: 'postgres' | 'etcd' }> {
  return choice.kind === 'postgres' || choice.kind === 'etcd';
}
