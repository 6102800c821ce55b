import { useState } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { NeedsYouItem, NeedsYouView, SettledItem } from '../../../shared/contract/decision-views.ts';
import { useAction } from '../../state/use-action.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { DeviceName } from '../../ui/device-name.tsx';
import { Icon } from '../../ui/icon.tsx';
import { clockTime, duration } from '../../ui/time-words.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { BatchOffers } from './batch/batch-offers.tsx';
import {
  isSameItem,
  itemPath,
  oldestFirst,
  rowElementId,
  waitingGroups,
  type OpenItem,
  type QueueBatch,
} from './queue-rows.ts';
import { text } from './strings.ts';

/** What waits for a person, and what was settled lately. */
export function QueueList(props: {
  readonly view: NeedsYouView;
  readonly open: OpenItem | null;
  readonly nowMs: number;
  readonly onOpenBatch: (batch: QueueBatch) => void;
  /** What is said where the list is empty. */
  readonly children?: ReactNode;
}) {
  const { view } = props;
  return (
    <section className="nq-list" aria-label={text.listName}>
      <BatchOffers view={view} kind="unclear" onOpen={props.onOpenBatch} />
      <QueueGroup label={text.unclear} items={oldestFirst(view.unclear)} open={props.open} nowMs={props.nowMs} />
      <BatchOffers view={view} kind="approve" onOpen={props.onOpenBatch} />
      <QueueGroup label={text.approvals} items={oldestFirst(view.approvals)} open={props.open} nowMs={props.nowMs} />
      {waitingGroups(view).map(({ deviceName, items }) => (
        <QueueGroup
          key={deviceName}
          isCalm
          label={text.waitingFor(visibleText(deviceName))}
          items={items}
          open={props.open}
          nowMs={props.nowMs}
        />
      ))}
      {props.children}
      <SettledList items={view.settled} nowMs={props.nowMs} />
    </section>
  );
}

function QueueGroup(props: {
  readonly label: string;
  readonly items: readonly NeedsYouItem[];
  readonly open: OpenItem | null;
  readonly nowMs: number;
  /** Nothing in it needs a person now. */
  readonly isCalm?: boolean;
}) {
  const { isCalm = false } = props;
  if (props.items.length === 0) return null;
  return (
    <>
      <div className="nq-head">
        <h2 className="label">{props.label}</h2>
        <span className="t11 ink3">{props.items.length}</span>
      </div>
      <ul aria-label={props.label}>
        {props.items.map((item) => (
          <li key={item.id}>
            <QueueRow item={item} isOpen={isSameItem(item, props.open)} nowMs={props.nowMs} isCalm={isCalm} />
          </li>
        ))}
      </ul>
    </>
  );
}

function QueueRow({
  item,
  isOpen,
  nowMs,
  isCalm,
}: {
  readonly item: NeedsYouItem;
  readonly isOpen: boolean;
  readonly nowMs: number;
  readonly isCalm: boolean;
}) {
  const classes = isCalm ? 'nq-row calm' : 'nq-row';
  return (
    <Link href={itemPath(item)} id={rowElementId(item)} className={classes} aria-current={isOpen ? 'true' : undefined}>
      <span className="mark">
        {isCalm ? (
          <Icon name="s-wait" label={text.waiting} />
        ) : (
          <Icon name={item.kind === 'unclear' ? 's-unclear' : 's-approve'} label={text.state[item.kind]} />
        )}
      </span>
      <div className="grow">
        <p className="cut medium">
          <VisibleText text={item.title} />
        </p>
        <p className="t12 ink2 nq-line">
          <span className="cut grow">
            <VisibleText text={item.sentence} />
          </span>
          <span className="t11 ink3 nw">{duration(nowMs - item.sinceMs)}</span>
        </p>
        <p className="t11 ink3 nq-line where">
          <span className="cut">{text.from(item.agentName, String(item.runNumber).padStart(4, '0'))}</span>
          <span className="sep">·</span>
          <DeviceName name={item.deviceName} />
        </p>
      </div>
    </Link>
  );
}

/** Decisions of late; those that can still be taken back say so. */
export function SettledList({ items, nowMs }: { readonly items: readonly SettledItem[]; readonly nowMs: number }) {
  const reopen = useAction('recovery.reopen');
  const [said, setSaid] = useState('');
  async function takeBack(item: SettledItem): Promise<void> {
    const answer = await reopen.run({ attemptToken: item.id });
    setSaid(answer.ok ? answer.value.sentence : `${answer.error.message} ${answer.error.wayOut}`.trim());
  }
  return (
    <div className="nq-past">
      {items.length > 0 && (
        <div className="nq-head">
          <h2 className="label">{text.settled}</h2>
        </div>
      )}
      <ul aria-label={text.settled}>
        {items.map((item) => (
          <li key={`${item.kind}-${item.id}`}>
            <Icon name={item.kind === 'unclear' ? 's-done' : 'hand'} />
            <Link href={itemPath(item)} className="grow nq-settled">
              <span className="cut t12">
                <VisibleText text={item.title} />
              </span>
              <span className="t11 ink3 cut">
                <VisibleText text={item.sentence} />, {clockTime(item.atMs, { nowMs })}
              </span>
            </Link>
            {item.kind === 'unclear' && item.canReopen && (
              <Button size="small" variant="quiet" isDisabled={reopen.isBusy} onClick={() => void takeBack(item)}>
                {text.reopen}
                <span className="sr-only"> {item.title}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      <output className="t12 ink2 nq-said">{said}</output>
    </div>
  );
}
