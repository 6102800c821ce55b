import type { ChangeNotice } from '../shared/contract/api.ts';
import type { Host } from './host/host.ts';
import type { HostPorts } from './host/ports.ts';
import type { Signal } from './host/signal.ts';

/** Everything that a window is told of. */
interface NoticeSources {
  readonly ports: HostPorts;
  readonly host: Host;
  /** Other devices did something, or this one with them. */
  readonly sharingChanged: Signal;
  /** Something about this device alone is kept otherwise, of which no entry of the journal tells. */
  readonly keptChanged: Signal;
}

/** Tells a listener of commits, and of what comes without one. Returns the function that ends it. */
export function tellChanges(
  { ports, host, sharingChanged, keptChanged }: NoticeSources,
  listener: (notice: ChangeNotice) => void,
): () => void {
  const withSequence = (notice: (sequence: number) => ChangeNotice): void => {
    const sequence = ports.store.connection()?.journal.head.seq;
    if (sequence !== undefined) listener(notice(sequence));
  };
  // Nothing was written down: what is shown and forgotten, and what other devices do.
  const passing = (about: Pick<ChangeNotice, 'runIds' | 'agentIds'>): void =>
    withSequence((sequence) => ({ sequence, previousSequence: sequence, ...about }));
  // A gap, so that everything is read again: it is seldom, and no entry says which answers it is in.
  const everything = (): void =>
    withSequence((sequence) => ({ sequence, previousSequence: -1, runIds: [], agentIds: [] }));
  const ends = [
    ports.store.onCommit(listener),
    host.state.progress.on((runId) => passing({ runIds: [runId], agentIds: [] })),
    host.watch.on((agentId) => passing({ runIds: [], agentIds: [agentId] })),
    sharingChanged.on(() => passing({ runIds: [], agentIds: [] })),
    keptChanged.on(everything),
  ];
  return () => ends.forEach((end) => end());
}
