import { useState } from 'react';
import type { ReactNode } from 'react';
import type { ListTime } from '../../shared/contract/saved-views.ts';
import { BetweenDialog } from './between-dialog.tsx';

interface TimeChoice {
  /** For the chip: chooses a time at once, or asks for the two days that it lies between. */
  readonly choose: (kind: ListTime['kind']) => void;
  /** The question for the two days, beside the chip; `null` while it is not asked. */
  readonly question: ReactNode;
}

/** Lets a person choose a time with a chip. */
export function useTimeChoice(of: {
  /** What the dialog for two days is about. */
  readonly daysTitle: string;
  /** What its button does. */
  readonly daysGo: string;
  readonly onChange: (time: ListTime) => void;
}): TimeChoice {
  const { daysTitle, daysGo, onChange } = of;
  const [isAsking, setIsAsking] = useState(false);
  const end = (days: { readonly from: string; readonly until: string } | null): void => {
    setIsAsking(false);
    if (days !== null) onChange({ kind: 'between', ...days });
  };
  return {
    choose: (kind) => (kind === 'between' ? setIsAsking(true) : onChange({ kind })),
    question: isAsking ? <BetweenDialog title={daysTitle} go={daysGo} onClose={end} /> : null,
  };
}
