import { useRef } from 'react';
import type { LaneView, RunDetailView, StepRow } from '../../../shared/contract/views.ts';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { Icon } from '../../ui/icon.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { clockMinutes, clockSeconds } from '../../ui/time-words.ts';
import { useNearRows } from '../../ui/use-near-rows.ts';
import type { NearRows } from '../../ui/use-near-rows.ts';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';
import { axisOf, gapsOf, shareOf, whyForLane } from './timeline-model.ts';
import type { Axis } from './timeline-model.ts';

/** A step's state drawn with the shapes of runs. */
export const stepShapes: Readonly<Record<StepRow['status'], RunStatus>> = {
  waiting: 'waiting',
  running: 'running-here',
  done: 'done',
  failed: 'failed-was-sent',
  unclear: 'needs-recovery',
  'needs-approval': 'needs-approval',
  refused: 'refused',
  stopped: 'stopped',
};

const LANE_PX = 26;

/** One lane for each effect on a shared axis: what went out, what was held back, what nobody knows. */
export function Lanes(props: {
  readonly view: RunDetailView;
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
}) {
  const { view } = props;
  const nowMs = useNow(5_000);
  const endMs = view.row.endedAtMs ?? nowMs;
  const scroller = useRef<HTMLDivElement>(null);
  const near = useNearRows({ count: view.lanes.length, scroller, heightPx: () => LANE_PX });
  if (view.lanes.length === 0) return null;
  const axis = axisOf({ timeline: view.timeline, lanes: view.lanes, endMs });
  const gaps = gapsOf(view.timeline, endMs);
  const kinds = new Set(view.lanes.flatMap((lane) => lane.marks.map((mark) => mark.kind)));
  return (
    <section className="rd-lanes" aria-label={text.effectsLabel}>
      <div className="tbl">
        <div className="tr head" aria-hidden="true">
          <span>{text.effects}</span>
          <span>{text.outcome}</span>
          <AxisHead axis={axis} isLive={view.row.endedAtMs === null} />
        </div>
        <div className="rd-lanelist scroll" ref={scroller}>
          <div className="rd-lanerows" style={near.room}>
            {near.indexes.map((index) => {
              const lane = view.lanes[index];
              return (
                lane !== undefined && (
                  <Lane
                    key={lane.effectKey}
                    lane={lane}
                    index={index}
                    measure={near.measure}
                    axis={axis}
                    gaps={gaps}
                    view={view}
                    seq={props.seq}
                    onOpen={props.onOpen}
                  />
                )
              );
            })}
          </div>
        </div>
        <Legend kinds={kinds} hasGaps={gaps.length > 0} />
      </div>
    </section>
  );
}

function Legend(props: { readonly kinds: ReadonlySet<LaneView['marks'][number]['kind']>; readonly hasGaps: boolean }) {
  const { kinds, hasGaps } = props;
  return (
    <div className="tr rd-legend">
      {kinds.has('sent') && (
        <span className="flex">
          <i className="pt" />
          {text.legendSent}
        </span>
      )}
      {kinds.has('refused') && (
        <span className="flex ref">
          <Icon name="s-ref" />
          {text.legendRefused}
        </span>
      )}
      {kinds.has('unclear') && (
        <span className="flex unc">
          <Icon name="s-unclear" />
          {text.legendUnclear}
        </span>
      )}
      {hasGaps && (
        <span className="flex">
          <i className="hatch rd-swatch" />
          {text.legendGap}
        </span>
      )}
    </div>
  );
}

function AxisHead({ axis, isLive }: { readonly axis: Axis; readonly isLive: boolean }) {
  const clock = axis.toMs - axis.fromMs < 10 * 60_000 ? clockSeconds : clockMinutes;
  return (
    <span className="axis">
      {axis.ticks
        .filter((tick) => shareOf(axis, tick) < (isLive ? 0.9 : 0.97))
        .map((tick) => (
          <span key={tick} style={{ left: `${shareOf(axis, tick) * 100}%` }}>
            {clock(tick)}
          </span>
        ))}
      {isLive && <span className="now">{text.now}</span>}
    </span>
  );
}

function Lane(props: {
  readonly lane: LaneView;
  readonly index: number;
  readonly measure: NearRows['measure'];
  readonly axis: Axis;
  readonly gaps: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly view: RunDetailView;
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
}) {
  const { lane, index, axis, measure } = props;
  const why = whyForLane(lane, props.view.why);
  const at = (atMs: number) => `${shareOf(axis, atMs) * 100}%`;
  return (
    <div
      ref={measure}
      data-index={index}
      className={
        why !== null && props.view.why.some((each) => each.seq === props.seq && each.effectKey === lane.effectKey)
          ? 'tr sel'
          : 'tr'
      }
    >
      {why === null ? (
        <span className="cut" title={visibleText(lane.title)}>
          <VisibleText text={lane.title} />
        </span>
      ) : (
        <button
          type="button"
          className="ev-open cut"
          title={visibleText(lane.title)}
          onClick={() => props.onOpen(why.seq)}
        >
          <VisibleText text={lane.title} />
          <span className="sr-only">. {text.why}</span>
        </button>
      )}
      <span className="t12">
        <StateMark status={stepShapes[lane.status]} word={lane.outcome} />
      </span>
      <span className="lane" aria-hidden="true">
        {props.gaps.map((gap) => (
          <i
            key={gap.fromMs}
            className="zz hatch"
            style={{ left: at(gap.fromMs), right: `${(1 - shareOf(axis, gap.toMs)) * 100}%` }}
          />
        ))}
        {lane.marks.map((mark) =>
          mark.kind === 'sent' ? (
            <i key={`${mark.kind} ${mark.atMs}`} className="pt" style={{ left: at(mark.atMs) }} />
          ) : (
            <span
              key={`${mark.kind} ${mark.atMs}`}
              className={mark.kind === 'refused' ? 'ptr ref' : 'ptr unc'}
              style={{ left: at(mark.atMs) }}
            >
              <Icon name={mark.kind === 'refused' ? 's-ref' : 's-unclear'} />
            </span>
          ),
        )}
      </span>
    </div>
  );
}
