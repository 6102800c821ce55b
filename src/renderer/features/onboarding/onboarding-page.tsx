import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NameStep } from './name-step.tsx';
import { PractiseStep } from './practise-step.tsx';
import { text } from './strings.ts';
import './onboarding.css';

const STEPS = 3;

/** The first start: three steps, each can be skipped. Nothing may run when it ends. */
export function OnboardingPage() {
  const [step, setStep] = useState(1);
  const [said, setSaid] = useState('');
  const save = useAction('settings.set');
  const overview = useQuery('overview.get', {});
  const settings = useQuery('settings.get', {});
  const [, navigate] = useLocation();
  async function set(change: { readonly deviceName?: string; readonly isOnboarded?: boolean }): Promise<boolean> {
    const answer = await save.run(change);
    setSaid(answer.ok ? '' : [text.failed, answer.error.message, answer.error.wayOut].join(' ').trim());
    return answer.ok;
  }
  async function finish(path: string): Promise<void> {
    if (!(await set({ isOnboarded: true }))) return;
    navigate(path);
    overview.refetch();
  }
  async function nameIt(deviceName: string): Promise<void> {
    if (await set({ deviceName })) setStep(2);
  }
  return (
    <main className="ob">
      <section className="ob-card" aria-labelledby="onboarding-heading">
        <header className="ob-top">
          <StepDots step={step} />
          <span className="t12 ink3">{text.progress(step, STEPS)}</span>
          <span className="right">
            <Button size="small" variant="quiet" isDisabled={save.isBusy} onClick={() => void finish('/needs')}>
              {text.skip}
            </Button>
          </span>
        </header>
        {step === 1 && settings.value !== null && (
          <NameStep name={settings.value.deviceName} isBusy={save.isBusy} onName={(name) => void nameIt(name)} />
        )}
        {step === 2 && <NothingRunsStep onBack={() => setStep(1)} onGo={() => setStep(3)} />}
        {step === 3 && (
          <PractiseStep isBusy={save.isBusy} onBack={() => setStep(2)} onFinish={(path) => void finish(path)} />
        )}
        <output className="t12 ink2">{said}</output>
      </section>
    </main>
  );
}

function StepDots({ step }: { readonly step: number }) {
  return (
    <span className="ob-dots" aria-hidden="true">
      {Array.from({ length: STEPS }, (_, index) => (
        <i key={index} className={index + 1 <= step ? 'on' : ''} />
      ))}
    </span>
  );
}

function NothingRunsStep({ onBack, onGo }: { readonly onBack: () => void; readonly onGo: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 id="onboarding-heading" ref={heading} tabIndex={-1}>
        {text.runHeading}
      </h1>
      <p className="ob-lead">{text.runLead}</p>
      <ul className="ob-facts">
        {text.runFacts.map(([fact, meaning]) => (
          <li key={fact}>
            <Icon name="check" />
            <span>
              <b className="medium">{fact}</b>
              <br />
              <span className="ink2">{meaning}</span>
            </span>
          </li>
        ))}
      </ul>
      <div className="ob-acts">
        <Button onClick={onBack}>{text.back}</Button>
        <Button variant="primary" onClick={onGo}>
          {text.runGo}
        </Button>
      </div>
    </>
  );
}
