import '../../styles/start.css';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { StartQuery } from '../../documents/start.ts';
import { Button } from '../../ui/controls.tsx';
import { Errands } from './errands.tsx';
import { progressOf, stepNames } from './progress.ts';
import { text } from './strings.ts';

const key = 'trellis/start-dismissed';

/** The steps that are missing until something runs, for administrators, who can dismiss the list; then what to try in the demo. */
export function Checklist() {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) !== null);
  const [isComplete, setComplete] = useState(false);
  // A finished installation stays one: it is not read again.
  const [{ data }] = useQuery({ query: StartQuery, pause: isDismissed || isComplete });
  const progress = data && progressOf(data);
  if (progress?.isComplete && !isComplete) setComplete(true);
  if (progress?.isComplete) return <Errands teams={progress.teams} />;
  if (isDismissed || !progress?.mayStart || !progress.team) return null;
  const dismiss = () => {
    localStorage.setItem(key, new Date().toISOString());
    setDismissed(true);
  };
  return (
    <section className="card checklist" aria-label={text.checklist.title}>
      <h2>{text.checklist.title}</h2>
      <ul>
        {stepNames.map((step) => (
          <li key={step} className={progress.isDone(step) ? 'status tone-good' : 'status tone-idle'}>
            {text.steps[step].title}
            {progress.isDone(step) && <span className="visually-hidden"> {text.isDone}</span>}
          </li>
        ))}
      </ul>
      <div className="spacer" />
      <Link className="button small" href="/start">
        {text.checklist.go}
      </Link>
      <Button look="quiet small" onClick={dismiss}>
        {text.checklist.dismiss}
      </Button>
    </section>
  );
}
