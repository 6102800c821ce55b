import type { NeedsYouItem, NeedsYouView } from '../../../../shared/contract/decision-views.ts';
import { Button } from '../../../ui/button.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { batchesOf } from '../queue-rows.ts';
import type { QueueBatch } from '../queue-rows.ts';
import { doubtText } from './doubt-strings.ts';
import { text } from './strings.ts';

/** Offers to answer items of one kind together of which several are alike. */
export function BatchOffers(props: {
  readonly view: NeedsYouView;
  readonly kind: NeedsYouItem['kind'];
  readonly onOpen: (batch: QueueBatch) => void;
}) {
  const isUnclear = props.kind === 'unclear';
  const batches = batchesOf(props.view, props.kind);
  if (batches.length === 0) return null;
  return (
    <ul className="nq-batches" aria-label={isUnclear ? doubtText.offers : text.offers}>
      {batches.map((batch) => (
        <li key={batch.key}>
          <Button size="small" onClick={() => props.onOpen(batch)}>
            <VisibleText
              text={
                isUnclear
                  ? doubtText.offer(batch.items.length, batch.deviceName)
                  : text.offer(batch.items.length, batch.agentName)
              }
            />
          </Button>
        </li>
      ))}
    </ul>
  );
}
