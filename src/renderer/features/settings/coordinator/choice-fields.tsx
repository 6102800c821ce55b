import { FormField } from '../../../ui/form-field.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import type { ChoiceField, ChoiceForm } from './choice-form.ts';
import { choiceText as text } from './strings.ts';

interface FieldsProps {
  readonly form: ChoiceForm;
  /** Only what the person should be told now. */
  readonly mistakes: Partial<Record<ChoiceField, string>>;
  readonly onChange: (change: Partial<ChoiceForm>) => void;
}

const LONGEST_LINE = 1_000;
const LONGEST_PEM = 65_536;

/** How PostgreSQL is reached. */
export function PostgresFields(props: FieldsProps) {
  const { form, onChange } = props;
  return (
    <div className="form co-fields">
      <Line {...props} field="host" />
      <Line {...props} field="port" isNumber />
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
            { value: 'off', label: text.tlsOff, description: text.tlsOffMore },
          ]}
        />
      </div>
      {form.tls === 'verify' && <Pem {...props} field="authorityPem" />}
    </div>
  );
}

/** How etcd is reached. */
export function EtcdFields(props: FieldsProps) {
  return (
    <div className="form co-fields">
      <Pem {...props} field="endpoints" />
      <Line {...props} field="user" help="optionalUser" />
      <Line {...props} field="password" isSecret />
      <Line {...props} field="prefix" />
      <Pem {...props} field="authorityPem" />
      <Pem {...props} field="certificatePem" />
      <Pem {...props} field="privateKeyPem" isSecret />
    </div>
  );
}

type LineField = 'host' | 'port' | 'database' | 'user' | 'password' | 'prefix';

function Line(
  props: FieldsProps & {
    readonly field: LineField;
    readonly help?: 'optionalUser';
    readonly isNumber?: boolean;
    readonly isSecret?: boolean;
  },
) {
  const { field, form, mistakes } = props;
  const [label, help] = text.fields[props.help ?? field];
  return (
    <FormField label={label} help={help} mistake={mistakes[field] ?? ''}>
      {(described) => (
        <input
          {...described}
          className="field"
          type={props.isSecret === true ? 'password' : 'text'}
          inputMode={props.isNumber === true ? 'numeric' : undefined}
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

type PemField = 'authorityPem' | 'certificatePem' | 'privateKeyPem' | 'endpoints';

function Pem(props: FieldsProps & { readonly field: PemField; readonly isSecret?: boolean }) {
  const { field, form, mistakes } = props;
  const [label, help] = text.fields[field];
  return (
    <FormField label={label} help={help} mistake={mistakes[field] ?? ''} className="co-wide">
      {(described) => (
        <textarea
          {...described}
          className={`field mono${props.isSecret === true ? ' co-hidden' : ''}`}
          rows={field === 'endpoints' ? 2 : 3}
          value={form[field]}
          maxLength={LONGEST_PEM}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => props.onChange({ [field]: event.target.value })}
        />
      )}
    </FormField>
  );
}
