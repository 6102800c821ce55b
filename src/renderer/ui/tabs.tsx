import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabItem {
  readonly id: string;
  readonly label: string;
  /** A figure beside the label. */
  readonly count?: string | number;
  readonly panel?: ReactNode;
}

/** Tabs with their panels. `end` is shown at the far side of the strip. */
export function Tabs(props: {
  readonly label: string;
  readonly items: readonly TabItem[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly end?: ReactNode;
}) {
  return (
    <BaseTabs.Root
      className="tabroot"
      value={props.value}
      onValueChange={(value: unknown) => {
        if (typeof value === 'string') props.onChange(value);
      }}
    >
      <div className="tabs">
        <BaseTabs.List className="tablist" aria-label={props.label} activateOnFocus>
          {props.items.map((item) => (
            <BaseTabs.Tab key={item.id} value={item.id} className="tab">
              {item.label}
              {item.count !== undefined && <span className="n">{item.count}</span>}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
        {props.end !== undefined && <span className="right flex t12 ink2">{props.end}</span>}
      </div>
      {props.items.map((item) => (
        <BaseTabs.Panel key={item.id} value={item.id} className="tabpanel">
          {item.panel}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
