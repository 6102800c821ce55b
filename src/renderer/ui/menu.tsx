import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from './icon.tsx';

export interface MenuChoice<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly isOn: boolean;
  readonly count?: number;
}

/** A list of things that can each be on or off. It stays open while they are switched. */
export function ChoiceMenu<Value extends string>(props: {
  readonly label: string;
  readonly trigger: ReactElement;
  readonly choices: readonly MenuChoice<Value>[];
  readonly onToggle: (value: Value) => void;
  /** One at a time: choosing closes the list. */
  readonly isSingle?: boolean;
}) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={props.trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="layer" sideOffset={4} align="start">
          <BaseMenu.Popup className="menu" aria-label={props.label}>
            {props.choices.map((choice) => (
              <BaseMenu.CheckboxItem
                key={choice.value}
                className="menu-item"
                checked={choice.isOn}
                closeOnClick={props.isSingle ?? false}
                onCheckedChange={() => props.onToggle(choice.value)}
              >
                <span className="tick">
                  <BaseMenu.CheckboxItemIndicator>
                    <Icon name="check" size="small" />
                  </BaseMenu.CheckboxItemIndicator>
                </span>
                {choice.label}
                {choice.count !== undefined && <span className="n">{choice.count}</span>}
              </BaseMenu.CheckboxItem>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
