import { useId } from 'react';
import { FormField } from '../../ui/form-field.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import type { ScheduleChoice } from './schedule-choice.ts';
import { newText as text } from './strings.ts';

interface FieldsProps {
  readonly choice: ScheduleChoice;
  readonly timeZone: string;
  readonly onChoice: (choice: ScheduleChoice) => void;
  readonly onTimeZone: (timeZone: string) => void;
}

/** How often, when, and by which clocks. */
export function ScheduleChoiceFields(props: FieldsProps) {
  const { choice, onChoice } = props;
  const zones = useId();
  return (
    <>
      <div className="form-field">
        <span>{text.every}</span>
        <RadioGroup
          label={text.every}
          isInline
          value={choice.every}
          onChange={(every) => onChoice({ ...choice, every })}
          items={[
            { value: 'hour', label: text.hour },
            { value: 'day', label: text.day },
            { value: 'workday', label: text.workday },
            { value: 'week', label: text.week },
            { value: 'own', label: text.own },
          ]}
        />
      </div>
      <div className="sc-when">
        <WhenFields choice={choice} onChoice={onChoice} />
        <label className="form-field">
          <span>{text.timeZone}</span>
          <input
            className="field"
            list={zones}
            maxLength={64}
            spellCheck={false}
            value={props.timeZone}
            onChange={(event) => props.onTimeZone(event.target.value)}
          />
          <datalist id={zones}>
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </datalist>
        </label>
      </div>
    </>
  );
}

function WhenFields({ choice, onChoice }: Pick<FieldsProps, 'choice' | 'onChoice'>) {
  return (
    <>
      {choice.every === 'week' && (
        <FormField label={text.weekday} help="">
          {(described) => (
            <select
              className="field"
              {...described}
              value={choice.weekday}
              onChange={(event) => onChoice({ ...choice, weekday: event.target.value })}
            >
              {text.weekdays.map((name, index) => (
                <option key={name} value={String((index + 1) % 7)}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </FormField>
      )}
      {choice.every === 'own' ? (
        <label className="form-field">
          <span>{text.cron}</span>
          <input
            className="field mono"
            maxLength={120}
            spellCheck={false}
            value={choice.cron}
            onChange={(event) => onChoice({ ...choice, cron: event.target.value })}
          />
        </label>
      ) : (
        <label className="form-field">
          <span>{choice.every === 'hour' ? text.minute : text.time}</span>
          <input
            className="field"
            type="time"
            value={choice.time}
            onChange={(event) => onChoice({ ...choice, time: event.target.value })}
          />
        </label>
      )}
    </>
  );
}
