// Roles instead of table elements: virtual rows are placed absolutely, which table elements can’t be.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import { memo } from 'react';
import type { ActivityRow } from '../../../shared/contract/activity-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { DeviceName } from '../../ui/device-name.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-shapes.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

const ACTORS: Readonly<Record<ActivityRow['actor']['kind'], IconName>> = {
  person: 'user',
  agent: 'agents',
  host: 'activity',
};

/** Only what went wrong, was held back or is unclear has a shape of its own: the eye finds it among the others. */
const MARKS: Readonly<Partial<Record<ActivityRow['mark'], { readonly icon: IconName; readonly tone: string }>>> = {
  done: { icon: 's-done', tone: 'st ok' },
  failed: { icon: 's-fail1', tone: 'st bad' },
  refused: { icon: 's-ref', tone: 'st ref' },
  unclear: { icon: 's-unclear', tone: 'st you' },
};

/** One entry of the record. */
export const ActivityTableRow = memo(function ActivityTableRow(props: {
  readonly row: ActivityRow;
  readonly index: number;
  readonly top: number;
  readonly isSelected: boolean;
  readonly onOpen: (seq: number) => void;
}) {
  const { row, index, top, isSelected } = props;
  const mark = MARKS[row.mark];
  return (
    // Keys are handled by the grid, which points at its active row.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={`entry-${row.seq}`}
      className={isSelected ? 'ac-row ac-body sel' : 'ac-row ac-body'}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => props.onOpen(row.seq)}
    >
      <span role="gridcell" className="cut ink2">
        <Time atMs={row.atMs} format="seconds" />
      </span>
      <span role="gridcell" className={row.actor.kind === 'person' ? 'cut ac-who medium' : 'cut ac-who ink2'}>
        <Icon name={ACTORS[row.actor.kind]} size="small" />
        <span className="cut">
          <span className="sr-only">{text.actors[row.actor.kind]}: </span>
          <VisibleText text={row.actor.name} />
        </span>
      </span>
      <span role="gridcell" className="cut ac-what" title={visibleText(row.sentence)}>
        {mark !== undefined && (
          <span className={mark.tone}>
            <Icon name={mark.icon} size="small" />
          </span>
        )}
        <span className="cut">
          <VisibleText text={row.sentence} />
          {row.measure !== '' && (
            <span className="ink3">
              {' · '}
              <VisibleText text={row.measure} />
            </span>
          )}
        </span>
      </span>
      <span role="gridcell" className="cut ink2 ac-wide">
        <VisibleText text={row.agentName} />
      </span>
      <span role="gridcell" className="cut ink2 ac-wide">
        <DeviceName name={row.deviceName} />
      </span>
      <span role="gridcell" className="ink3 r">
        {row.runNumber === null ? '' : text.run(row.runNumber)}
      </span>
    </div>
  );
});
