import { useEffect, useRef } from 'react';
import { keyCaps, shortcutNamed } from '../../shared/contract/shortcuts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { isMac } from './is-mac.ts';

/** The search field of a screen; its key goes there, Esc clears it and then leaves. */
export function SearchField(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly clearLabel: string;
  readonly placeholder: string;
  readonly maxLength: number;
  readonly hasFocusFirst?: boolean;
}) {
  const field = useRef<HTMLInputElement>(null);
  const hasFocusFirst = props.hasFocusFirst ?? false;
  useEffect(() => {
    if (hasFocusFirst) field.current?.focus();
  }, [hasFocusFirst]);
  return (
    <div className="field search-field">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        data-search
        value={props.value}
        maxLength={props.maxLength}
        placeholder={props.placeholder}
        aria-label={props.label}
        onChange={(event) => props.onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (props.value === '') field.current?.blur();
          else props.onChange('');
        }}
      />
      {props.value === '' ? (
        <kbd aria-hidden="true">{keyCaps(shortcutNamed('search-here'), isMac)}</kbd>
      ) : (
        <Button
          variant="quiet"
          size="small"
          icon="x"
          label={props.clearLabel}
          onClick={() => {
            props.onChange('');
            field.current?.focus();
          }}
        />
      )}
    </div>
  );
}
