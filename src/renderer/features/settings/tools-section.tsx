import type { ToolEffect, ToolRow } from '../../../shared/contract/tool-views.ts';
import type { EffectKind } from '../../../shared/core/effect/effect-kind.ts';
import { useQuery } from '../../state/use-query.ts';
import { Badge } from '../../ui/badge.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Section } from './section.tsx';
import { SignInsPart } from './sign-ins.tsx';
import { caseWords, kindWords, toolNames, toolsText as text } from './tools-strings.ts';

/** Which tools there are, of which kind their effects are, and what each kind means. */
export function ToolsSection() {
  const query = useQuery('tools.list', {});
  const view = query.value;
  return (
    <Section title={text.title} lede={text.lede}>
      {view === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {view !== null && (
        <ul className="se-list" aria-label={text.list}>
          {view.tools.map((row) => (
            <Tool key={row.tool} row={row} />
          ))}
        </ul>
      )}
      <SignInsPart />
      <section className="se-kinds" aria-label={text.kinds}>
        <h3 className="label">{text.kinds}</h3>
        <dl className="facts">
          {Object.entries(kindWords).map(([kind, { name, meaning }]) => (
            <div key={kind} className="contents">
              <dt>{name}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <p className="t12 ink3">{text.declared}</p>
      </section>
    </Section>
  );
}

function Tool({ row }: { readonly row: ToolRow }) {
  return (
    <li className="se-tool">
      <span className="medium">{toolNames[row.tool]}</span>
      <span className="se-tool-kinds">
        {row.effects.map((effect) => (
          <Kind key={effect.when} effect={effect} />
        ))}
      </span>
      <span className="t12 ink3 se-use">
        {row.agents.length === 0 ? text.nobody : <VisibleText text={text.usedBy(row.agents.map(({ name }) => name))} />}
      </span>
    </li>
  );
}

function Kind({ effect }: { readonly effect: ToolEffect }) {
  return (
    <span className="nw">
      <Badge tone={toneOf(effect.kind)}>{kindWords[effect.kind].name}</Badge>
      {effect.when !== 'always' && <span className="t12 ink3"> {caseWords[effect.when]}</span>}
    </span>
  );
}

function toneOf(kind: EffectKind): 'plain' | 'safe' {
  return kind === 'blind' ? 'plain' : 'safe';
}
