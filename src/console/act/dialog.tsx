import { type FormEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { type Act, type Failure, type Outcome, type PlanItem, useAct } from './act.ts';
import { type Field, FieldView, issuesOf, type Values } from './fields.tsx';
import { Plan } from './plan.tsx';
import { JobProgress } from './progress.tsx';

const text = strings.act;

/** A window over the page that keeps the focus until it is closed. */
export function Dialog({ title, isWide, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it is removed, because a dialog that is not in the page does not give the focus back.
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (!opened?.open) opened?.showModal();
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <div>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
interface DialogProps {
  title: string;
  isWide?: boolean;
  close(): void;
  children: ReactNode;
}

/** An action that a person takes: what it asks for, what it would do, what it does. */
export interface Action<Input extends object> {
  /** On the button: `Delete`. */
  label: string;
  title: string;
  intro?: string;
  isDestructive?: boolean;
  document: Act<Input>;
  /** Whether the mutation has a plan, which is shown before it is done. */
  hasPlan?: boolean;
  /** The fields, which can depend on what was entered. */
  fields?(values: Values): readonly Field[];
  input(values: Values): Input;
  /** Called when it was done. */
  done?(): void;
}

type Step<Input> =
  | { name: 'form' }
  /** What is planned is what will be sent, whatever has changed since. */
  | { name: 'plan'; plan: PlanItem[]; input: Input }
  | { name: 'done'; plan: PlanItem[]; jobs: number[] };

/** Takes an action: the form, the plan, then the progress of the job. */
export function ActionDialog<Input extends object>({
  action,
  close,
}: {
  action: Action<Input>;
  close(): void;
}) {
  const act = useAct(action.document);
  const [values, setValues] = useState<Values>({});
  const [step, setStep] = useState<Step<Input>>({ name: 'form' });
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const fields = action.fields?.(values) ?? [];
  const entered = {
    ...Object.fromEntries(fields.map((field) => [field.name, field.value ?? ''])),
    ...values,
  };

  async function send(isDryRun: boolean): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    const input = step.name === 'plan' ? step.input : action.input(entered);
    const outcome: Outcome = await act(isDryRun ? { ...input, dryRun: true } : input);
    setBusy(false);
    if (outcome.failure) {
      setFailure(outcome.failure);
      // Errors of fields are shown at the fields, and what has changed since is planned again.
      if (outcome.failure.issues.length > 0 || outcome.failure.code === 'CONFLICT') setStep({ name: 'form' });
      return;
    }
    if (isDryRun) return setStep({ name: 'plan', plan: outcome.plan, input });
    setStep({ name: 'done', plan: outcome.plan, jobs: outcome.jobs });
    action.done?.();
  }

  // Without a form, the plan is the first thing to see.
  const started = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens
  useEffect(() => {
    if (started.current || !action.hasPlan || fields.length > 0) return;
    started.current = true;
    void send(true);
  }, []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) void send(Boolean(action.hasPlan) && step.name === 'form');
  };
  const known = fields.flatMap((field) => issuesOf(field, failure));
  const rest = failure && (failure.issues.length === 0 || known.length < failure.issues.length);
  return (
    <Dialog title={action.title} isWide={step.name !== 'form' || action.hasPlan} close={close}>
      {step.name === 'done' ? (
        <>
          {step.jobs.length === 0 && <Notice tone="good">{text.done}</Notice>}
          {step.jobs.map((uid) => (
            <JobProgress key={uid} uid={uid} />
          ))}
          <footer>
            <button type="button" className="button primary" onClick={close}>
              {strings.common.close}
            </button>
          </footer>
        </>
      ) : (
        <form onSubmit={submit}>
          {action.intro && <p className="soft">{action.intro}</p>}
          {step.name === 'form' &&
            fields.map((field) => (
              <FieldView
                key={field.name}
                id={`${id}-${field.name}`}
                field={field}
                value={entered[field.name] ?? ''}
                issues={issuesOf(field, failure)}
                change={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
              />
            ))}
          {step.name === 'plan' && <Plan items={step.plan} />}
          {step.name === 'form' && fields.length === 0 && action.hasPlan && isBusy && (
            <p role="status">{text.planning}</p>
          )}
          {rest && <FailureNotice failure={failure} />}
          <footer>
            {step.name === 'plan' && fields.length > 0 && (
              <button type="button" className="button" onClick={() => setStep({ name: 'form' })}>
                {text.back}
              </button>
            )}
            <button type="button" className="button" onClick={close}>
              {strings.common.cancel}
            </button>
            <button
              type="submit"
              className={`button primary${action.isDestructive ? ' danger' : ''}`}
              disabled={isBusy}
            >
              {action.hasPlan && step.name === 'form' ? text.preview : action.label}
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}

/** The errors that no field shows. */
export function FailureNotice({ failure }: { failure: Failure }) {
  return (
    <div role="alert">
      <Notice tone="bad">
        {failure.message}
        {failure.issues.map(({ path, message }) => (
          <span key={path.join('.')} className="issue">
            <code>{path.filter((part) => part !== 'input').join('.')}</code> {message}
          </span>
        ))}
      </Notice>
    </div>
  );
}
