import type { NeedsYouView } from '../../../../shared/contract/decision-views.ts';
import { Button } from '../../../ui/button.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { batchesOf } from '../queue-rows.ts';
import type { QuestionBatch } from '../queue-rows.ts';
import { text } from './strings.ts';

/** Offers to answer questions together of which several are alike. */
export function BatchOffers(props: { readonly view: NeedsYouView; readonly onOpen: (batch: QuestionBatch) => void }) {
  const batches = batchesOf(props.view);
  if (batches.length === 0) return null;
  return (
    <ul className="nq-batches" aria-label={text.offers}>
      {batches.map((batch) => (
        <li key={batch.key}>
          <Button size="small" onClick={() => props.onOpen(batch)}>
            <VisibleText text={text.offer(batch.items.length, batch.agentName)} />
          </Button>
        </li>
      ))}
    </ul>
  );
}
