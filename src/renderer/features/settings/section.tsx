import type { ReactNode } from 'react';

/** One part of the settings: what it is about at the left, its rows at the right. */
export function Section(props: { readonly title: string; readonly lede?: string; readonly children: ReactNode }) {
  return (
    <section className="se-part" aria-label={props.title}>
      <div className="se-title">
        <h2 className="strong">{props.title}</h2>
        {props.lede !== undefined && <p className="t12 ink3">{props.lede}</p>}
      </div>
      <div className="se-rows">{props.children}</div>
    </section>
  );
}

/** A name with its value, and what is to be known about it. */
export function Fact(props: { readonly label: string; readonly help?: string; readonly children: ReactNode }) {
  return (
    <div className="se-row">
      <span className="ink2">{props.label}</span>
      <span className="se-value">
        {props.children}
        {props.help !== undefined && <span className="t12 ink3 se-help">{props.help}</span>}
      </span>
    </div>
  );
}
