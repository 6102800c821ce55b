import type { SchedulesView } from '../../../shared/contract/schedule-views.ts';
import { Note } from '../../ui/note.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { soonest } from './schedule-order.ts';
import { text } from './strings.ts';

/** What comes next over all agents, and where calls are taken. */
export function SchedulesSide({ view }: { readonly view: SchedulesView }) {
  const next = soonest(view.triggers);
  return (
    <aside className="side pad sc-side" aria-label={text.next}>
      {next.length > 0 && (
        <>
          <h2 className="label">{text.next}</h2>
          <ul className="sc-next">
            {next.map(({ trigger, atMs }) => (
              <li key={`${trigger.agentId} ${trigger.triggerId}`}>
                <span className="cut">
                  <VisibleText text={trigger.agentName} />
                </span>
                <Time atMs={atMs} format="relative" />
              </li>
            ))}
          </ul>
        </>
      )}
      {view.webhookOrigin !== null && (
        <Note tone="plain" icon="globe" title={text.webhooks}>
          <span className="mono">{view.webhookOrigin}</span>. {text.webhooksMore}
        </Note>
      )}
      {view.webhookTrouble !== '' && (
        <Note tone="needs" icon="warn">
          <VisibleText text={view.webhookTrouble} />
        </Note>
      )}
      <Note tone="safe" icon="shield" title={text.note}>
        {text.noteMore}
      </Note>
    </aside>
  );
}
