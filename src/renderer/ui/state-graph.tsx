import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { GraphEdge, StateStanding } from '../../shared/contract/run-views.ts';
import type { GraphNode as Node } from '../../shared/contract/views.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { layoutGraph, NODE_HEIGHT } from './graph-layout.ts';
import type { EdgeTone, GraphLayout, PlacedNode } from './graph-layout.ts';
import { describeStates } from './graph-words.ts';
import { iconShapes } from './icon-shapes.tsx';
import type { IconName } from './icon-shapes.tsx';
import './state-graph.css';

const TONES: readonly EdgeTone[] = ['plain', 'failure', 'unclear', 'branch'];
/** Wider drawings scroll instead of shrinking until nobody can read them. */
const FITS_UP_TO_PX = 1_040;
const TEXT_INSET = 42;
/** Generous averages of the font, px. */
const TITLE_CHARACTER_WIDTH = 6.6;
const NOTE_CHARACTER_WIDTH = 5.6;
const FIRST_LINE_Y = 18;
const MIDDLE_Y = 25;
const SECOND_LINE_Y = 33;

const ICONS: Readonly<Record<string, IconName>> = {
  shell: 'terminal',
  script: 'terminal',
  'file.write': 'file',
  'http.request': 'globe',
  'mcp.call': 'server',
  'mail.send': 'mail',
  model: 'model',
  approve: 'hand',
  choice: 'split',
  workset: 'runs',
  fork: 'split',
  join: 'join',
  wait: 'clock',
  done: 'check',
  fail: 'stop',
};

/** A state that was reached wears the shape of its standing: never colour alone. */
const STANDING_ICONS: Readonly<Record<StateStanding, IconName | null>> = {
  'not-reached': null,
  waiting: 's-wait',
  running: 's-run',
  'needs-approval': 's-approve',
  'needs-recovery': 's-unclear',
  done: 's-done',
  failed: 's-fail1',
  refused: 's-ref',
  stopped: 's-stop',
};

const CLASSES: Readonly<Record<StateStanding, string>> = {
  'not-reached': 'dim',
  waiting: 'run',
  running: 'run',
  'needs-approval': 'you',
  'needs-recovery': 'you',
  done: 'ok',
  failed: 'bad',
  refused: 'ref',
  stopped: 'quiet',
};

/** States and the ways between them, drawn from data only. `label` names the drawing. */
export function StateGraph(props: {
  readonly label: string;
  readonly nodes: readonly Node[];
  readonly edges: readonly GraphEdge[];
}) {
  const { label, nodes, edges } = props;
  const layout = layoutGraph(nodes, edges);
  const region = useRef<HTMLElement>(null);
  useStartInView(region, layout);
  return (
    <section
      ref={region}
      className={`sg${layout.width <= FITS_UP_TO_PX ? ' fits' : ''}`}
      aria-label={label}
      // A scrolling region must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <ol className="sr-only">
        {describeStates(nodes, edges).map((sentence, index) => (
          <li key={nodes[index]?.stateId}>{visibleText(sentence)}</li>
        ))}
      </ol>
      <svg
        width={layout.width}
        height={layout.height}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        aria-hidden="true"
        focusable="false"
      >
        <Tips />
        {layout.edges.map((edge) => (
          <path
            key={edge.key}
            d={edge.path}
            className={`sg-edge ${edge.tone}`}
            markerEnd={`url(#sg-tip-${edge.tone})`}
          />
        ))}
        {layout.nodes.map((placed) => (
          <StateBox key={placed.node.stateId} placed={placed} width={layout.nodeWidth} />
        ))}
        {layout.edges.map((edge) => (
          <text key={edge.key} x={edge.labelX} y={edge.labelY} className={`sg-label ${edge.tone}`}>
            {visibleText(edge.label)}
          </text>
        ))}
      </svg>
    </section>
  );
}

function Tips() {
  return (
    <defs>
      {TONES.map((tone) => (
        <marker
          key={tone}
          id={`sg-tip-${tone}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M1 1 7 4 1 7" className={`sg-tip ${tone}`} />
        </marker>
      ))}
    </defs>
  );
}

function StateBox({ placed, width }: { readonly placed: PlacedNode; readonly width: number }) {
  const { node, x, y } = placed;
  const title = visibleText(node.title);
  const note = visibleText(node.standingText ?? node.note);
  return (
    <g transform={`translate(${x} ${y})`} className={`sg-node ${classOf(node)}`}>
      <title>{note === '' ? title : `${title}: ${note}`}</title>
      <rect className="box" width={width} height={NODE_HEIGHT} rx="8" />
      <g className="i" transform="translate(10 13)">
        {iconShapes[iconOf(node)]}
      </g>
      <text x="34" y={note === '' ? MIDDLE_Y : FIRST_LINE_Y} className="a">
        {shorten(title, Math.floor((width - TEXT_INSET) / TITLE_CHARACTER_WIDTH))}
      </text>
      {note !== '' && (
        <text x="34" y={SECOND_LINE_Y} className="b">
          {shorten(note, Math.floor((width - TEXT_INSET) / NOTE_CHARACTER_WIDTH))}
        </text>
      )}
    </g>
  );
}

function iconOf(node: Node): IconName {
  const standing = node.standing === undefined ? null : STANDING_ICONS[node.standing];
  return standing ?? (node.mark === 'needs' ? 's-unclear' : (ICONS[node.type] ?? 'globe'));
}

function classOf(node: Node): string {
  if (node.standing !== undefined) return CLASSES[node.standing];
  if (node.mark === 'needs') return 'you';
  if (node.mark === 'running') return 'run';
  if (node.type === 'fail') return 'off';
  return node.mark === 'done' ? 'ok' : '';
}

/** SVG text does not wrap; the whole of it is in the title and in the words for those who do not see the drawing. */
function shorten(whole: string, characters: number): string {
  return whole.length <= characters ? whole : `${whole.slice(0, characters - 1).trimEnd()}…`;
}

/** A drawing that is larger than its place begins where something goes on, once; afterwards it stays where it was left. */
function useStartInView(region: RefObject<HTMLElement | null>, layout: GraphLayout): void {
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    const element = region.current;
    if (isPlaced.current || element === null || layout.nodes.length === 0) return;
    isPlaced.current = true;
    const active =
      layout.nodes.find(({ node }) => node.mark === 'needs') ??
      layout.nodes.find(({ node }) => node.mark === 'running');
    if (active === undefined) return;
    element.scrollTo({
      left: active.x + layout.nodeWidth / 2 - element.clientWidth / 2,
      top: active.y + NODE_HEIGHT / 2 - element.clientHeight / 2,
    });
  }, [region, layout]);
}
