import { useRef, type RefObject } from 'react';
import type { StrategyProblem } from '../../../shared/contract/strategy.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { countLines, inFileOrder, linesWithProblems, offsetOf } from './source-lines.ts';
import { text } from './strings.ts';
import './source-editor.css';

/** Plain text with line numbers. Hidden characters show in the problems and in the permission, never act here. */
export function SourceEditor({
  field,
  ...props
}: {
  readonly label: string;
  readonly source: string;
  readonly problems: readonly StrategyProblem[];
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onChange: (source: string) => void;
}) {
  const gutter = useRef<HTMLDivElement>(null);
  const marked = linesWithProblems(props.problems);
  const lines = Array.from({ length: countLines(props.source) }, (_, index) => index + 1);
  return (
    <div className="ag-source">
      <div className="ag-gutter" ref={gutter} aria-hidden="true">
        {lines.map((line) => (
          <div key={line} className={marked.has(line) ? 'bad' : ''}>
            {marked.has(line) ? `● ${line}` : line}
          </div>
        ))}
      </div>
      <textarea
        ref={field}
        aria-label={props.label}
        aria-invalid={props.problems.length > 0}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        wrap="off"
        value={props.source}
        onChange={(event) => props.onChange(event.target.value)}
        onScroll={(event) => {
          if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

/** What to correct: each line leads to its place. */
export function ProblemList(props: {
  readonly problems: readonly StrategyProblem[];
  readonly source: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}) {
  function goTo(problem: StrategyProblem): void {
    if (props.field.current !== null) showPlace(props.field.current, props.source, problem);
  }
  return (
    <ul className="ag-problems" aria-label={text.problemsName}>
      {inFileOrder(props.problems).map((problem) => (
        <li key={`${problem.line}:${problem.column}:${problem.field}:${problem.message}`}>
          <button type="button" onClick={() => goTo(problem)}>
            <span className="at">{text.goTo(problem.line, problem.column)}</span>
            <span className="mono">
              <VisibleText text={problem.field} />
            </span>
            <span>
              <VisibleText text={problem.message} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Puts the caret on a place and brings its line into view, with a few lines above it. */
function showPlace(field: HTMLTextAreaElement, source: string, place: StrategyProblem): void {
  const offset = offsetOf(source, place);
  field.focus();
  field.setSelectionRange(offset, offset);
  const lineHeightPx = field.scrollHeight / countLines(source);
  field.scrollTop = Math.max(0, (place.line - 4) * lineHeightPx);
}
