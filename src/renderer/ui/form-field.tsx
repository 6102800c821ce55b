import type { ReactNode } from 'react';
import { useId } from 'react';

/** What an input takes, so that its name and what is said about it are read out with it. */
export interface DescribedField {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid'?: true;
}

/** A field with its name above and what is to be known about it below; a mistake takes the place of the help. */
export function FormField(props: {
  readonly label: string;
  readonly help: string;
  readonly mistake?: string;
  readonly className?: string;
  readonly children: (described: DescribedField) => ReactNode;
}) {
  const id = useId();
  const { mistake = '' } = props;
  return (
    <div className={`form-field${props.className === undefined ? '' : ` ${props.className}`}`}>
      <label htmlFor={id}>{props.label}</label>
      {props.children({
        id,
        'aria-describedby': `${id}-help`,
        ...(mistake === '' ? {} : { 'aria-invalid': true as const }),
      })}
      <span className={mistake === '' ? 't12 ink3' : 't12 needs'} id={`${id}-help`}>
        {mistake === '' ? props.help : mistake}
      </span>
    </div>
  );
}
