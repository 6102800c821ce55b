import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { Icon } from './icon.tsx';

/** What only some people want to see, behind its name. */
export function Disclosure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <div className="disclosure">
      <button
        type="button"
        className="btn quiet small"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'cd' : 'cr'} size="small" />
        {label}
      </button>
      <div id={id} hidden={!isOpen}>
        {children}
      </div>
    </div>
  );
}
