import type { WhyView } from '../../../shared/contract/views.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Earlier } from './earlier.tsx';
import { WhyPanel } from './why-panel.tsx';
import { text } from './strings.ts';

/** Every decision of the run, the latest first. */
export function WhyList(props: { readonly why: readonly WhyView[]; readonly seq: number; readonly earlier: number }) {
  const { why, seq, earlier } = props;
  if (why.length === 0) return <EmptyState icon="shield" title={text.noWhy} />;
  return (
    // It scrolls, so it must be reachable without a mouse.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="scroll grow" tabIndex={0} aria-label={text.whyLede}>
      <p className="rd-lede ink2">{text.whyLede}</p>
      {earlier > 0 && <Earlier>{text.earlierWhy(earlier)}</Earlier>}
      <ol className="rd-whys">
        {why.toReversed().map((each) => (
          <li key={each.seq} className={each.seq === seq ? 'card sel' : 'card'}>
            <WhyPanel why={each} onClose={null} />
          </li>
        ))}
      </ol>
    </section>
  );
}
