import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';

/** The Node-API the bundled SQLite is built for. An older runtime crashes while loading it. */
const NEEDED_NODE_API = 10;
/** The oldest Electron that a binary of its own (FENCEPOST_NATIVE_BINDING) can be built for. */
const OLDEST_ELECTRON = 33;

/** Which runtime this is, as `process.versions` says. */
export interface RuntimeVersions {
  readonly node: string;
  readonly napi: string | undefined;
  readonly electron: string | undefined;
}

/** The versions of the runtime that this is running in. */
export function currentRuntime(): RuntimeVersions {
  const { versions } = process;
  return { node: versions.node, napi: versions['napi'], electron: versions['electron'] };
}

/** A sentence instead of the crash that an old runtime would end in; `null` if this one will do. */
export function runtimeProblem(versions: RuntimeVersions, hasOwnBinding: boolean): Problem | null {
  const isNewEnough = Number(versions.napi ?? 0) >= NEEDED_NODE_API;
  if (versions.electron === undefined) {
    if (isNewEnough) return null;
    const message = `Fencepost needs Node 22.14 or newer; this is Node ${versions.node}.`;
    return problem('runtime-too-old', message, 'Start it with "npm start", which brings the right one.');
  }
  const isOldest = Number.parseInt(versions.electron, 10) >= OLDEST_ELECTRON;
  if (isOldest && (isNewEnough || hasOwnBinding)) return null;
  const message = isOldest
    ? `Electron ${versions.electron} needs a build of SQLite of its own, and there is none.`
    : `Fencepost needs Electron ${OLDEST_ELECTRON} or newer; this is Electron ${versions.electron}.`;
  return problem('runtime-too-old', message, 'Start it with "npm start", which finds or builds what is needed.');
}
