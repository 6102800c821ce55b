import type { RecordView } from '../../../shared/contract/record-views.ts';
import { useQuery } from '../../state/use-query.ts';
import { useRefetchEvery } from '../../state/use-refetch-every.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Time } from '../../ui/time.tsx';
import { CopyValue } from './copy-value.tsx';
import { RecordCheck } from './record-check.tsx';
import { recordText as text } from './record-strings.ts';
import { RetentionChoice } from './retention-choice.tsx';
import { Fact, Section } from './section.tsx';
import { sizeWords } from './strings.ts';

/** A check gets further without a notice. */
const CHECKING_EVERY_MS = 300;

/** Where the record is, how large, how long it is kept, what was copied of it, and whether it is whole. */
export function RecordSection({ folder }: { readonly folder: string }) {
  const query = useQuery('record.get', {});
  const view = query.value;
  useRefetchEvery(query, view?.check?.state === 'running' ? CHECKING_EVERY_MS : null);
  return (
    <Section title={text.title} lede={text.lede}>
      <Fact label={text.folder}>
        <CopyValue value={folder} />
      </Fact>
      {view === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {view !== null && (
        <>
          <Fact label={text.size}>{sizeOf(view)}</Fact>
          <Fact label={text.entries} help={text.entriesHelp(text.runs(view.condensedRuns))}>
            {view.journalEntries.toLocaleString('en')}
          </Fact>
          <Fact label={text.backups}>
            <Copies backups={view.backups} />
          </Fact>
          <RetentionChoice retention={view.retention} onSaved={query.refetch} />
          <RecordCheck view={view.check} onBegun={query.refetch} />
        </>
      )}
    </Section>
  );
}

function sizeOf({ databaseBytes, logBytes }: RecordView): string {
  const size = sizeWords(databaseBytes);
  return logBytes === 0 ? size : text.sizeWithLog(size, sizeWords(logBytes));
}

function Copies({ backups }: { readonly backups: RecordView['backups'] }) {
  if (backups.count === 0) return text.noBackups;
  return (
    <>
      {text.backupsAre(backups.count, sizeWords(backups.bytes))}
      {backups.newestAtMs !== null && (
        <>
          , {text.newest} <Time atMs={backups.newestAtMs} />
        </>
      )}
      <CopyValue value={backups.folder} />
    </>
  );
}
