interface Row {
  readonly runId: string;
  readonly status: string;
  readonly title: string;
  readonly deviceName: string;
  readonly startedAtMs: number;
}

interface Refusal {
  readonly agentId: string;
  readonly deviceName: string | null;
  readonly lastAtMs: number;
  readonly count: number;
  readonly word: string;
  readonly reason: string;
}

interface Lease {
  readonly holder: { readonly kind: string; readonly deviceId?: string };
}

interface Narrowing {
  readonly agentId?: string;
  readonly deviceId?: string;
  readonly sinceMs?: number;
  readonly beforeMs?: number;
}

interface RunNarrowing {
  readonly statuses?: string[];
  readonly search?: string;
  readonly runIds?: string[];
  readonly offset?: number;
  readonly limit?: number;
}

interface Answers {
  readonly [route: string]: unknown;
  readonly 'runs.list'?: {
    readonly rows: readonly Row[];
    readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
  };
  readonly 'refusals.list'?: {
    readonly groups: readonly Refusal[];
    readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
  };
  readonly 'leases.list'?: { readonly leases: readonly Lease[] };
}

/**
 * What the fixture's host answers. It is handed on as its own text, to a page or to Electron's main process: it may use
 * nothing from outside itself.
 */
export function answerFrom(answers: Answers, route: string, request: object): object {
  const { agentId, deviceId, sinceMs = 0, beforeMs = Infinity } = request as Narrowing;
  const listRuns = (list: NonNullable<Answers['runs.list']>) => {
    const { statuses = [], search = '', runIds, offset = 0, limit = 200 } = request as RunNarrowing;
    const device = list.devices.find((each) => each.deviceId === deviceId)?.name;
    const fits = (row: Row) =>
      (deviceId === undefined || row.deviceName === device) &&
      row.startedAtMs >= sinceMs &&
      row.startedAtMs < beforeMs &&
      (runIds === undefined || runIds.includes(row.runId)) &&
      (statuses.length === 0 || statuses.includes(row.status)) &&
      row.title.toLowerCase().includes(search.toLowerCase());
    const rows = list.rows.filter(fits);
    return { ...list, shown: rows.length, rows: rows.slice(offset, offset + limit) };
  };
  const listRefusals = (list: NonNullable<Answers['refusals.list']>) => {
    const device = list.devices.find((each) => each.deviceId === deviceId)?.name;
    const groups = list.groups.filter(
      (group) =>
        (agentId === undefined || group.agentId === agentId) &&
        (deviceId === undefined || group.deviceName === device) &&
        group.lastAtMs >= sinceMs &&
        group.lastAtMs < beforeMs,
    );
    const heldBack = groups.reduce((sum, group) => sum + group.count, 0);
    return { ...list, groups, heldBack, reasons: groups.map(({ word, reason, count }) => ({ word, reason, count })) };
  };
  const listLeases = (list: NonNullable<Answers['leases.list']>) => ({
    ...list,
    leases: list.leases.filter(({ holder }) => deviceId === undefined || holder.deviceId === deviceId),
  });
  const narrowed = (found: object): object => {
    if ('problem' in found) return found;
    if (route === 'runs.list') return listRuns(found as NonNullable<Answers['runs.list']>);
    if (route === 'refusals.list') return listRefusals(found as NonNullable<Answers['refusals.list']>);
    return route === 'leases.list' ? listLeases(found as NonNullable<Answers['leases.list']>) : found;
  };
  // One of several things may have an answer of its own, under its id.
  const found = answers[`${route} ${String(Object.values(request)[0])}`] ?? answers[route];
  if (found === undefined || found === null)
    return { ok: false, error: { code: 'not-found', message: 'The fixture has no answer.', wayOut: '' } };
  const value = narrowed(found) as { problem?: object | null };
  // Views that tell of a problem themselves have a sequence as well.
  return value.problem !== undefined && value.problem !== null && !('sequence' in value)
    ? { ok: false, error: value.problem }
    : { ok: true, value };
}
