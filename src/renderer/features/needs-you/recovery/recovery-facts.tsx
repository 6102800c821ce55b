import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** How far it got: solid as far as it is known, hatched from where nobody can know. */
export function ReachedStrip({ reached }: { readonly reached: RecoveryView['reached'] }) {
  return (
    <ol className="rc-far" aria-label={text.far}>
      {reached.map((step, index) => {
        const isNextUnknown = reached[index + 1]?.isKnown === false;
        const hatch = !step.isKnown || isNextUnknown ? 'un ' : '';
        return (
          <li key={step.label} className={`${hatch}${step.isKnown ? '' : 'you'}`}>
            <Icon name={step.isKnown ? 's-done' : 's-unclear'} />
            <b>
              <VisibleText text={step.label} />
            </b>
            <span className="sr-only">{step.isKnown ? text.farKnown : text.farUnknown}: </span>
            <VisibleText text={step.detail} />
          </li>
        );
      })}
    </ol>
  );
}

/** What we know, with its source, beside what we don't know. Rows that came later are marked. */
export function KnownAndUnknown(props: {
  readonly view: RecoveryView;
  readonly newSeqs: ReadonlySet<number>;
  readonly zone: string;
}) {
  const { view, newSeqs, zone } = props;
  return (
    <div className="rc-two">
      <section aria-labelledby="rc-know">
        <h3>
          <span id="rc-know">{text.know}</span> <span className="ink3 regular">{text.zone(zone)}</span>
        </h3>
        <ul className="rc-know">
          {view.known.map((row) => (
            <li key={row.seq}>
              <Time atMs={row.atMs} format="seconds" />
              <span>
                <VisibleText text={row.sentence} />
                {newSeqs.has(row.seq) && <Badge tone="accent">{text.isNew}</Badge>}
              </span>
              <small>{row.source}</small>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="rc-dont">
        <h3 id="rc-dont">{text.dontKnow}</h3>
        <ul className="rc-dont">
          {(view.unknown.length === 0 ? [text.nothingUnknown] : view.unknown).map((sentence) => (
            <li key={sentence}>
              <Icon name="help" size="small" />
              <VisibleText text={sentence} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
