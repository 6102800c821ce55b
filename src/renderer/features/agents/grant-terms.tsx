import { RadioGroup } from '../../ui/radio-group.tsx';
import { text } from './strings.ts';

const DAY_MS = 86_400_000;

/** What a person chose: where the permission holds, and how long. */
export interface ChosenTerms {
  readonly devices: 'any' | 'this';
  readonly ends: 'never' | 'day' | 'week' | 'month' | 'date';
  /** As the date field has it; only looked at for `date`. */
  readonly date: string;
}

export const DEFAULT_TERMS: ChosenTerms = { devices: 'any', ends: 'never', date: '' };

/** How the host is asked for it; `null` while the date is not filled in. A date counts to its last second here. */
export function lastsOf(
  terms: ChosenTerms,
): { kind: 'always' } | { kind: 'for'; ms: number } | { kind: 'until'; atMs: number } | null {
  switch (terms.ends) {
    case 'never':
      return { kind: 'always' };
    case 'day':
      return { kind: 'for', ms: DAY_MS };
    case 'week':
      return { kind: 'for', ms: 7 * DAY_MS };
    case 'month':
      return { kind: 'for', ms: 30 * DAY_MS };
    case 'date': {
      const atMs = new Date(`${terms.date}T23:59:59`).getTime();
      return Number.isNaN(atMs) ? null : { kind: 'until', atMs };
    }
    default:
      return terms.ends;
  }
}

/** Devices and end of a permission. The widest is chosen beforehand, and says so plainly. */
export function GrantTermsFields(props: {
  readonly terms: ChosenTerms;
  readonly onChange: (terms: ChosenTerms) => void;
  readonly sentence: string;
}) {
  const { terms, onChange } = props;
  return (
    <div className="ag-form ag-terms">
      <RadioGroup
        label={text.where}
        isInline
        value={terms.devices}
        items={[
          { value: 'any', label: text.anyDevice },
          { value: 'this', label: text.thisDevice },
        ]}
        onChange={(devices) => onChange({ ...terms, devices })}
      />
      <RadioGroup
        label={text.howLong}
        isInline
        value={terms.ends}
        items={[
          { value: 'never', label: text.ends.never },
          { value: 'day', label: text.ends.day },
          { value: 'week', label: text.ends.week },
          { value: 'month', label: text.ends.month },
          { value: 'date', label: text.ends.date },
        ]}
        onChange={(ends) => onChange({ ...terms, ends })}
      />
      {terms.ends === 'date' && (
        <label className="ag-field">
          <span>{text.lastDay}</span>
          <input
            type="date"
            value={terms.date}
            onChange={(event) => onChange({ ...terms, date: event.target.value })}
          />
        </label>
      )}
      <output className="t12 ink2">{props.sentence}</output>
    </div>
  );
}
