import { useState } from 'react';
import type { ResponseOf } from '../../../../shared/contract/api.ts';
import type { CoordinatorView } from '../../../../shared/contract/coordinator-views.ts';
import type { Problem } from '../../../../shared/contract/errors.ts';
import { useAction } from '../../../state/use-action.ts';
import { formOf, hasFields, mistakesOf, placeName, requestOf } from './choice-form.ts';
import type { ChoiceField, ChoiceForm } from './choice-form.ts';

type ChangeStep = 'choose' | 'fields' | 'test' | 'move' | 'progress';

/** Where the guided change stands, and the ways on and back. */
export interface Change {
  readonly step: ChangeStep;
  readonly form: ChoiceForm;
  /** What is wrong, once the person tried to go on. */
  readonly shownMistakes: Partial<Record<ChoiceField, string>>;
  /** The place that is chosen, in words. */
  readonly name: string;
  readonly tested: ResponseOf<'coordinator.test'> | null;
  readonly isTesting: boolean;
  readonly isStarting: boolean;
  readonly problem: Problem | null;
  readonly edit: (change: Partial<ChoiceForm>) => void;
  readonly next: () => void;
  readonly back: () => void;
  readonly testAgain: () => void;
}

/** The steps of a change. What was tested is what is moved to: an edit makes the test count for nothing. */
export function useChange(options: {
  readonly view: CoordinatorView;
  readonly asked: string;
  readonly onChanged: () => void;
}): Change {
  const { view } = options;
  const [step, setStep] = useState<ChangeStep>('choose');
  const [form, setForm] = useState(() => formOf(view.choice, options.asked));
  const [hasTried, setHasTried] = useState(false);
  const [tested, setTested] = useState<ResponseOf<'coordinator.test'> | null>(null);
  const testing = useAction('coordinator.test');
  const moving = useAction('coordinator.move');
  const request = requestOf(form);

  async function test(): Promise<void> {
    if (request === null) return;
    setTested(null);
    setStep('test');
    const answer = await testing.run(request);
    if (answer.ok) setTested(answer.value);
  }
  async function move(): Promise<void> {
    if (request === null) return;
    const answer = await moving.run(request);
    options.onChanged();
    if (answer.ok) setStep('progress');
  }
  function next(): void {
    if (step === 'choose' && hasFields(form.kind)) setStep('fields');
    else if (step === 'fields' && request === null) setHasTried(true);
    else if (step === 'choose' || step === 'fields') void test();
    else if (step === 'test' && tested?.isUsable === true) setStep('move');
    else if (step === 'move') void move();
  }
  function back(): void {
    testing.clear();
    moving.clear();
    if (step === 'move') setStep('test');
    else setStep(step === 'test' && hasFields(form.kind) ? 'fields' : 'choose');
  }
  return {
    step,
    form,
    shownMistakes: hasTried ? mistakesOf(form) : {},
    name: request === null ? '' : placeName(request.choice, view),
    tested,
    isTesting: testing.isBusy,
    isStarting: moving.isBusy,
    problem: step === 'test' ? testing.problem : step === 'move' ? moving.problem : null,
    edit: (change) => {
      setForm((now) => ({ ...now, ...change }));
      setTested(null);
    },
    next,
    back,
    testAgain: () => void test(),
  };
}
