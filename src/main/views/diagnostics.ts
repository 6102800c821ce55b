import { release } from 'node:os';
import type { RecordView } from '../../shared/contract/record-views.ts';
import type { HostControl } from '../host/control.ts';
import { readAll } from '../store/connection.ts';
import type { HostInfo } from './overview.ts';
import { settingsView } from './settings.ts';
import { syncChip } from './sync.ts';
import type { ViewSource } from './view-source.ts';

interface DiagnosticsParts {
  readonly info: HostInfo;
  readonly record: RecordView;
  /** Lines of the logs in which nothing but names and numbers is left. */
  readonly log: readonly string[];
}

/**
 * What to hand to whoever helps: versions, sizes, counts, states and the end of the logs. Nothing in it was written by a
 * person, an agent or a tool: no name, no path, no address, no payload, no secret.
 */
export function diagnosticsText(source: ViewSource, control: HostControl, parts: DiagnosticsParts): string {
  return [
    'Fencepost diagnostics',
    ...versions(source, control, parts.info),
    ...record(control, parts.record),
    ...sharing(source, control),
    ...runs(source),
    '',
    `The last ${parts.log.length} lines of the logs, without their messages:`,
    ...parts.log,
    '',
  ].join('\n');
}

function versions(source: ViewSource, control: HostControl, info: HostInfo): readonly string[] {
  const settings = settingsView(source, control, info);
  return [
    `written: ${new Date(source.nowMs).toISOString()}`,
    `version: ${settings.version}`,
    `platform: ${info.platform} ${release()} ${process.arch}, ${info.surface === 'window' ? 'in its window' : 'in a browser'}`,
    `electron: ${settings.electronVersion ?? 'none'}, node: ${settings.nodeVersion}, sqlite: ${settings.sqliteVersion}`,
    `form of the record: ${settings.schemaVersion}`,
  ];
}

function record(control: HostControl, view: RecordView): readonly string[] {
  const { backups, check } = view;
  const checked =
    check === null ? 'not checked since the start' : `${check.state}, ${check.read} of ${check.total} read`;
  return [
    `record: ${control.storeState().state}, ${view.databaseBytes} bytes, log ${view.logBytes} bytes`,
    `entries: ${view.journalEntries}, condensed runs: ${view.condensedRuns}, kept: ${view.retention}`,
    `backups: ${backups.count}, ${backups.bytes} bytes`,
    `check: ${checked}`,
  ];
}

function sharing(source: ViewSource, control: HostControl): readonly string[] {
  const { state, answeredMs } = control.coordinatorState();
  const facts = control.sharing?.coordination.facts() ?? null;
  const chip = syncChip(source, control.sync?.status() ?? null);
  const trouble = facts?.trouble?.code ?? 'none';
  return [
    `right to act: kept by ${facts?.choice.kind ?? 'a file'}, ${state}, answered in ${answeredMs ?? '?'} ms, trouble: ${trouble}`,
    chip === null
      ? 'shared record: off'
      : `shared record: ${chip.state}, ${chip.othersInStep} of ${chip.others} other devices in step, trouble: ${control.sync?.status()?.problem?.code ?? 'none'}`,
  ];
}

function runs(source: ViewSource): readonly string[] {
  const { db } = source.connection;
  const open = readAll<{ count: number }>(db, 'SELECT count(*) AS count FROM runs WHERE ended_at_ms IS NULL');
  const all = readAll<{ count: number }>(db, 'SELECT count(*) AS count FROM runs');
  const unclear = readAll<{ progress: string; count: number }>(
    db,
    'SELECT progress, count(*) AS count FROM attempts GROUP BY progress ORDER BY progress',
  );
  return [
    `runs: ${all[0]?.count ?? 0}, open: ${open[0]?.count ?? 0}`,
    `attempts: ${unclear.map(({ progress, count }) => `${progress} ${count}`).join(', ') || 'none'}`,
  ];
}
