import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { iconShapes, type IconName } from '../../ui/icon-shapes.tsx';
import { describeGraph, layoutGraph, NODE_HEIGHT, type EdgeTone, type PlacedNode } from './graph-layout.ts';
import { text } from './strings.ts';
import './agent-graph.css';

const TONES: readonly EdgeTone[] = ['plain', 'failure', 'unclear'];
/** Wider drawings scroll instead of shrinking until nobody can read them. */
const FITS_UP_TO_PX = 1_040;
const TEXT_INSET = 42;
/** Generous averages of the font, px. */
const TITLE_CHARACTER_WIDTH = 6.6;
const NOTE_CHARACTER_WIDTH = 6;
const FIRST_LINE_Y = 18;
const MIDDLE_Y = 25;
const SECOND_LINE_Y = 33;

const ICONS: Readonly<Record<string, IconName>> = {
  tool: 'globe',
  shell: 'terminal',
  'file.write': 'file',
  'http.request': 'globe',
  approve: 'hand',
  choice: 'split',
  wait: 'clock',
  done: 'check',
  fail: 'stop',
};

/** The states of an agent and the ways between them, drawn from data only. */
export function AgentGraph({ view }: { readonly view: AgentDetailView }) {
  const layout = layoutGraph(view.nodes, view.edges);
  const label = describeGraph(view.agent.name, view.nodes, view.edges);
  return (
    <section
      className={`ag-graph${layout.width <= FITS_UP_TO_PX ? ' fits' : ''}`}
      aria-label={text.graphName}
      // A scrolling region must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <svg
        width={layout.width}
        height={layout.height}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        role="img"
        aria-label={label}
      >
        <defs>
          {TONES.map((tone) => (
            <marker
              key={tone}
              id={`ag-tip-${tone}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M1 1 7 4 1 7" className={`ag-tip ${tone}`} />
            </marker>
          ))}
        </defs>
        {layout.edges.map((edge) => (
          <path
            key={edge.key}
            d={edge.path}
            className={`ag-edge ${edge.tone}`}
            markerEnd={`url(#ag-tip-${edge.tone})`}
          />
        ))}
        {layout.nodes.map((placed) => (
          <GraphNode key={placed.node.stateId} placed={placed} width={layout.nodeWidth} />
        ))}
        {layout.edges.map((edge) => (
          <text key={edge.key} x={edge.labelX} y={edge.labelY} className={`ag-label ${edge.tone}`}>
            {visibleText(edge.label)}
          </text>
        ))}
      </svg>
    </section>
  );
}

function GraphNode({ placed, width }: { readonly placed: PlacedNode; readonly width: number }) {
  const { node, x, y } = placed;
  const title = visibleText(node.title);
  const note = node.isStart && node.note === '' ? text.start : visibleText(node.note);
  return (
    <g transform={`translate(${x} ${y})`} className={`ag-node ${toneOf(node)}`}>
      <title>{note === '' ? title : `${title}: ${note}`}</title>
      <rect className="box" width={width} height={NODE_HEIGHT} rx="8" />
      <g className="i" transform="translate(10 13)">
        {iconShapes[node.mark === 'needs' ? 's-unclear' : (ICONS[node.type] ?? 'globe')]}
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

function toneOf(node: PlacedNode['node']): string {
  if (node.mark === 'needs') return 'you';
  if (node.mark === 'running') return 'run';
  if (node.type === 'fail') return 'off';
  return node.mark === 'done' ? 'ok' : '';
}

/** SVG text does not wrap; the whole of it is in the node's title and in the source. */
function shorten(whole: string, characters: number): string {
  return whole.length <= characters ? whole : `${whole.slice(0, characters - 1).trimEnd()}…`;
}
