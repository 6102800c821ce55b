interface Row {
  readonly runId: string;
  readonly status: string;
  readonly title: string;
  readonly deviceName: string;
  readonly startedAtMs: number;
}

interface Answers {
  readonly [route: string]: unknown;
  readonly 'runs.list'?: {
    readonly rows: readonly Row[];
    readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
  };
}

/**
 * What the fixture's host answers. It is handed on as its own text, to a page or to Electron's main process: it may use
 * nothing from outside itself.
 */
export function answerFrom(answers: Answers, route: string, request: object): object {
  const listRuns = (list: NonNullable<Answers['runs.list']>) => {
    const {
      statuses = [],
      search = '',
      runIds,
      deviceId,
      sinceMs = 0,
      beforeMs = Infinity,
      offset = 0,
      limit = 200,
    } = request as {
      statuses?: string[];
      search?: string;
      runIds?: string[];
      deviceId?: string;
      sinceMs?: number;
      beforeMs?: number;
      offset?: number;
      limit?: number;
    };
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
  // One of several things may have an answer of its own, under its id.
  const found = answers[`${route} ${String(Object.values(request)[0])}`] ?? answers[route];
  if (found === undefined || found === null)
    return { ok: false, error: { code: 'not-found', message: 'The fixture has no answer.', wayOut: '' } };
  const list = route === 'runs.list' ? answers['runs.list'] : undefined;
  const value = (list === undefined ? found : listRuns(list)) as { problem?: object | null };
  // Views that tell of a problem themselves have a sequence as well.
  return value.problem !== undefined && value.problem !== null && !('sequence' in value)
    ? { ok: false, error: value.problem }
    : { ok: true, value };
}
