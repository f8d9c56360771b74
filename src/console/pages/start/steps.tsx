import '../../styles/start.css';
import { useRef, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { StartQuery } from '../../documents/start.ts';
import { LoadError, Loading, Notice } from '../../ui/blocks.tsx';
import { Button } from '../../ui/controls.tsx';
import { stepForms } from './forms.tsx';
import { type Progress, progressOf, type StepName, stepNames } from './progress.ts';
import { text } from './strings.ts';

/** The first steps, of which one is open. What is done is what exists on the server. */
export function Steps() {
  const [{ data, error }, retry] = useQuery({ query: StartQuery });
  if (!data) return error ? <LoadError error={error} retry={retry} /> : <Loading />;
  return <StepList progress={progressOf(data)} />;
}

function StepList({ progress }: { progress: Progress }) {
  const [skipped, setSkipped] = useState<ReadonlySet<StepName>>(new Set());
  const [chosen, setChosen] = useState<StepName>();
  const isWanted = (step: StepName) => !progress.isDone(step) && !skipped.has(step);
  const current = chosen && !progress.isDone(chosen) ? chosen : stepNames.find(isWanted);
  // The form that follows another one takes the focus that was in it.
  const first = useRef(current);
  const { application } = progress;
  const Form = current && stepForms[current];
  return (
    <>
      {progress.isComplete && application && (
        <Notice tone="good">
          {text.done}{' '}
          <Link href={`/applications/${application.uid}`}>{text.openApplication(application.name)}</Link>
        </Notice>
      )}
      <ol className="card start-steps" aria-label={text.label}>
        {stepNames.map((step, index) => (
          <li key={step} aria-current={step === current ? 'step' : undefined}>
            <header className="row">
              <h2>{text.step(index + 1, text.steps[step].title)}</h2>
              <div className="spacer" />
              {progress.isDone(step) && <span className="status tone-good">{text.isDone}</span>}
              {!progress.isDone(step) && step !== current && (
                <>
                  {skipped.has(step) && <span className="soft small">{text.isSkipped}</span>}
                  <Button
                    look="small"
                    aria-label={`${text.open}: ${text.steps[step].title}`}
                    onClick={() => setChosen(step)}
                  >
                    {text.open}
                  </Button>
                </>
              )}
              {step === current && (
                <Button
                  look="quiet small"
                  aria-label={`${text.skip}: ${text.steps[step].title}`}
                  onClick={() => {
                    setChosen(undefined);
                    setSkipped(new Set([...skipped, step]));
                  }}
                >
                  {text.skip}
                </Button>
              )}
            </header>
            {step === current && Form && <Form progress={progress} isFocused={step !== first.current} />}
          </li>
        ))}
      </ol>
    </>
  );
}
