import path from 'node:path';
import type { FileTrigger } from '../../../shared/contract/triggers.ts';
import { fillTemplate } from '../../../shared/core/run/template.ts';
import type { AutomaticSource } from '../../../shared/core/trigger/occurrence.ts';
import { err } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { TriggerRecord } from '../../store/trigger-rows.ts';
import { lookAtFile } from '../../tools/file/content-digest.ts';
import { resolveInside } from '../../tools/resolve-inside.ts';
import { fireTrigger } from '../pipeline/trigger.ts';
import type { HostPorts } from '../ports.ts';
import { sleep } from '../timers.ts';
import { byTrigger } from './pass-schedule.ts';
import { missedReasonOf, recordMissedOccurrence, recordTrouble } from './record-missed.ts';
import { isNamedLike, watchFolder } from './watch-folder.ts';
import type { FolderWatch } from './watch-folder.ts';

/** How many files may wait to start their runs. More of them are a line in the record. */
const WAITING_FILES_LIMIT = 256;
/** How soon a folder that cannot be watched is tried again, ms. */
const WATCH_AGAIN_MS = 30_000;
/** How soon a start that could not be made durable is tried again, ms. */
const START_AGAIN_MS = 1_000;

/** What a file trigger works on. */
export interface FileTriggerOptions {
  readonly ports: HostPorts;
  readonly trigger: TriggerRecord;
  readonly definition: FileTrigger;
  readonly protectedFolders: readonly string[];
  readonly wake: () => void;
}

/** Watches the folder of one trigger for as long as its permission lasts, and starts a run for each file, one by one. */
export class FileTriggerWatch {
  readonly #of: FileTriggerOptions;
  readonly #waiting = new Set<string>();
  #watch: FolderWatch | null = null;
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #isClosed = false;
  #cancelRetry: () => void = () => undefined;

  constructor(of: FileTriggerOptions) {
    this.#of = of;
    this.#working = this.#open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    this.#waiting.clear();
    await this.#working;
    await this.#watch?.close();
    this.#watch = null;
  }

  async #open(): Promise<void> {
    const folder = await this.#inside(this.#of.definition.folder);
    try {
      if (!folder.ok) throw new Error(folder.error);
      const watch = await watchFolder(folder.value, {
        onFile: (file) => this.#noticed(file),
        onLost: (why) => void this.#lost(why),
      });
      if (this.#isClosed) await watch.close();
      else this.#watch = watch;
    } catch (cause) {
      await this.#lost(cause instanceof Error ? cause.message : String(cause));
    }
  }

  async #lost(why: string): Promise<void> {
    if (this.#isClosed) return;
    const { ports, trigger, definition } = this.#of;
    const watch = this.#watch;
    this.#watch = null;
    this.#cancelRetry = ports.timers.after(WATCH_AGAIN_MS, () => {
      this.#working = this.#working.then(() => this.#open());
    });
    const detail = `${definition.folder} cannot be watched: ${why} It is tried again; files that come meanwhile are not noticed.`;
    await recordTrouble(ports, trigger, { slot: 'the watch', reason: 'watch-failed', detail });
    await watch?.close();
  }

  #inside(given: string): Promise<Result<string, string>> {
    const { ports, trigger, definition, protectedFolders } = this.#of;
    const strategy = ports.strategyOf(trigger.revision_digest);
    if (strategy === null) return Promise.resolve(err('The revision that was permitted cannot be read.'));
    const defaults = Object.entries(strategy.input).flatMap(([key, field]) =>
      field.default === undefined ? [] : [[key, field.default] as const],
    );
    const input = { ...Object.fromEntries(defaults), ...definition.input };
    const folders = strategy.scope.folders.flatMap((folder) => {
      const filled = fillTemplate(folder, { input, steps: {}, run: { id: 'run' } });
      return filled.ok ? [filled.value] : [];
    });
    return resolveInside(given, { folders, protectedFolders });
  }

  #noticed(file: string): void {
    if (this.#isClosed || !isNamedLike(path.basename(file), this.#of.definition.pattern)) return;
    if (this.#waiting.size >= WAITING_FILES_LIMIT && !this.#waiting.has(file)) {
      const detail = `More than ${WAITING_FILES_LIMIT} files came at once. Those above that started nothing, such as ${path.basename(file)}.`;
      const { ports, trigger } = this.#of;
      // Nobody waits for the line: it is written once for the whole crowd.
      void recordTrouble(ports, trigger, { slot: 'too many files', reason: 'too-many', detail });
      return;
    }
    this.#waiting.add(file);
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#working = this.#working.then(() => this.#work());
  }

  async #work(): Promise<void> {
    for (const file of this.#waiting) {
      if (this.#isClosed) break;
      this.#waiting.delete(file);
      if (await this.#start(file)) continue;
      this.#waiting.add(file);
      await sleep(this.#of.ports.timers, START_AGAIN_MS);
    }
    this.#isWorking = false;
  }

  /** Answers whether that file is settled. */
  async #start(file: string): Promise<boolean> {
    const { ports, trigger, definition, wake } = this.#of;
    const { agent_id: agentId, trigger_id: triggerId } = trigger;
    const place = await this.#inside(file);
    const look = place.ok ? await lookAtFile(place.value) : null;
    // Gone again before anybody could read it.
    if (look?.kind === 'absent') return true;
    const fullPath = place.ok ? place.value : file;
    const contentDigest = look?.kind === 'file' ? look.digest : '';
    const source: AutomaticSource = { by: 'file', triggerId, path: fullPath, contentDigest };
    if (!place.ok || look?.kind !== 'file') {
      const detail = place.ok ? 'The file cannot be read.' : place.error;
      return await recordMissedOccurrence(ports, { trigger, source, reason: 'refused', detail });
    }
    const request = { agentId, source, input: fileInput(definition, source), by: byTrigger('file', triggerId) };
    const fired = await fireTrigger(ports, request);
    if (fired.ok) {
      wake();
      return true;
    }
    const reason = missedReasonOf(fired.error);
    if (reason === null) return false;
    return await recordMissedOccurrence(ports, { trigger, source, reason, detail: fired.error.message });
  }
}

/** The input of a run that a file starts: its path, under the name that the trigger gives it. */
export function fileInput(
  { as, input }: FileTrigger,
  source: Extract<AutomaticSource, { by: 'file' }>,
): Readonly<Record<string, string>> {
  return as === undefined ? input : { ...input, [as]: source.path };
}
