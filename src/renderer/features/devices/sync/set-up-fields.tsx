import { FormField } from '../../../ui/form-field.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import type { SetUpField, SetUpForm } from './set-up-form.ts';
import { setUpText as text } from './strings.ts';

interface FieldsProps {
  readonly form: SetUpForm;
  /** Only what the person should be told now. */
  readonly mistakes: Partial<Record<SetUpField, string>>;
  readonly onChange: (change: Partial<SetUpForm>) => void;
}

const LONGEST_LINE = 4_096;
const LONGEST_PEM = 65_536;

/** What has to be known of the chosen carrier; nothing for a hub. */
export function RelayFields(props: FieldsProps) {
  const { form, onChange } = props;
  if (form.kind === 'folder') return <Line {...props} field="folder" />;
  if (form.kind !== 'postgres') return null;
  return (
    <div className="sy-fields">
      <Line {...props} field="host" />
      <Line {...props} field="port" />
      <Line {...props} field="database" />
      <Line {...props} field="user" />
      <Line {...props} field="password" isSecret />
      <div className="form-field">
        <span>{text.tls}</span>
        <RadioGroup
          label={text.tls}
          value={form.tls}
          onChange={(tls) => onChange({ tls })}
          items={[
            { value: 'verify', label: text.tlsVerify },
            { value: 'off', label: text.tlsOff },
          ]}
        />
      </div>
      {form.tls === 'verify' && <Area {...props} field="authorityPem" longest={LONGEST_PEM} />}
    </div>
  );
}

/** Where the recovery words are typed or pasted. */
export function WordsField(props: FieldsProps) {
  return <Area {...props} field="words" longest={LONGEST_LINE} />;
}

function Line(
  props: FieldsProps & {
    readonly field: Exclude<SetUpField, 'words' | 'authorityPem'>;
    readonly isSecret?: boolean;
  },
) {
  const { field, form, mistakes } = props;
  const [label, help] = text.fields[field];
  return (
    <FormField label={label} help={help} mistake={mistakes[field] ?? ''}>
      {(described) => (
        <input
          {...described}
          className="field"
          type={props.isSecret === true ? 'password' : 'text'}
          inputMode={field === 'port' ? 'numeric' : undefined}
          value={form[field]}
          maxLength={LONGEST_LINE}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete={props.isSecret === true ? 'new-password' : 'off'}
          onChange={(event) => props.onChange({ [field]: event.target.value })}
        />
      )}
    </FormField>
  );
}

function Area(props: FieldsProps & { readonly field: 'words' | 'authorityPem'; readonly longest: number }) {
  const { field, form, mistakes } = props;
  const [label, help] = text.fields[field];
  return (
    <FormField label={label} help={help} mistake={mistakes[field] ?? ''} className="sy-whole">
      {(described) => (
        <textarea
          {...described}
          className="field mono"
          rows={3}
          value={form[field]}
          maxLength={props.longest}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => props.onChange({ [field]: event.target.value })}
        />
      )}
    </FormField>
  );
}
