// Roles instead of table elements: subgrid rows are no table boxes, and a changed display takes a table its meaning.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import type { MouseEventHandler, ReactNode } from 'react';

/** Columns line up by subgrid: the class names them, rows only fill them. */
export function Table(props: {
  readonly label: string;
  readonly className: string;
  readonly columns: readonly { readonly label: string; readonly isEnd?: boolean }[];
  readonly children: ReactNode;
  readonly rowCount?: number;
}) {
  return (
    <div className={`tbl ${props.className}`} role="table" aria-label={props.label} aria-rowcount={props.rowCount}>
      <div className="tr head" role="row">
        {props.columns.map((column) => (
          <span key={column.label} role="columnheader" className={column.isEnd ? 'r' : undefined}>
            {column.label}
          </span>
        ))}
      </div>
      {props.children}
    </div>
  );
}

/** A row; `needs` is the amber tint with its edge. */
export function Row(props: {
  readonly children: ReactNode;
  readonly isSelected?: boolean;
  readonly needs?: boolean;
  readonly onClick?: MouseEventHandler<HTMLDivElement>;
  readonly index?: number;
  readonly className?: string;
}) {
  const classes = ['tr', props.needs ? 'you' : '', props.isSelected ? 'sel' : '', props.className ?? '']
    .filter((part) => part !== '')
    .join(' ');
  return (
    // A click is a second way: the row holds a button that does the same.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div className={classes} role="row" aria-rowindex={props.index} onClick={props.onClick}>
      {props.children}
    </div>
  );
}

/** A cell. */
export function Cell(props: { readonly children?: ReactNode; readonly className?: string; readonly span?: number }) {
  return (
    <span
      role="cell"
      className={props.className}
      aria-colspan={props.span}
      style={props.span === undefined ? undefined : { gridColumn: `span ${props.span}` }}
    >
      {props.children}
    </span>
  );
}
