import { type FormEvent, useId, useRef } from 'react';
import { useLocation } from 'wouter';
import type { MutationName } from '../documents/mutation.ts';
import type { Failure } from '../form/failure.ts';
import { FormFields } from '../form/fields.tsx';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { leftStoppedIn } from './act.ts';
import type { Action, Planned } from './action.ts';
import { isDestructive } from './destructive.ts';
import { Dialog } from './dialog-frame.tsx';
import { LeftStopped, Plan } from './plan.tsx';
import { JobProgress } from './progress.tsx';
import { useAction } from './use-action.ts';
import { useFirstWrong } from './use-first-wrong.ts';
import { confirmOf, dismissOf } from './words.ts';

const text = strings.act;

interface Props<Name extends MutationName> {
  action: Action<Name>;
  /** By which what was typed is stored, so that a reload does not lose it. */
  draft?: string;
  close(): void;
}

const planned = ({ plan, payload }: Planned) => (
  <>
    <Plan items={plan} />
    <LeftStopped names={leftStoppedIn(payload)} />
  </>
);

/** Takes an action: the form, the plan, then the progress of the job. */
export function ActionDialog<Name extends MutationName>({ action, draft, close }: Props<Name>) {
  const view = action.planned ?? planned;
  const [, navigate] = useLocation();
  const done = (payload: unknown) => {
    action.done?.(payload);
    const page = action.leadsTo?.(payload);
    if (page === undefined) return;
    close();
    navigate(page);
  };
  const state = useAction({ ...action, done }, draft);
  const { step, fields, values, failure, isBusy } = state;
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useFirstWrong(form, failure);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    state.submit();
  };
  const cancel = () => {
    state.discard();
    close();
  };
  return (
    <Dialog
      title={action.title ?? confirmOf(action)}
      isWide={step.name !== 'form' || state.plan !== undefined}
      close={step.name === 'done' ? close : cancel}
    >
      {step.name === 'done' ? (
        <>
          {step.jobs.length === 0 &&
            (action.result?.(step.payload) ?? <Notice tone="good">{text.done}</Notice>)}
          {step.jobs.map((uid) => (
            <JobProgress key={uid} uid={uid} />
          ))}
          <footer>
            <Button look="primary" onClick={close}>
              {strings.common.close}
            </Button>
          </footer>
        </>
      ) : (
        <form ref={form} name={action.mutation} onSubmit={submit}>
          {action.intro && <p className="soft">{action.intro}</p>}
          {step.name === 'form' && state.isRestored && <Notice tone="idle">{strings.form.restored}</Notice>}
          {step.name === 'form' && (
            <FormFields id={id} fields={fields} values={values} failure={failure} change={state.change} />
          )}
          {step.name === 'form' && action.summary?.(values)}
          {step.name === 'form' && state.livePlan && view(state.livePlan)}
          {step.name === 'plan' && view(step)}
          {state.isPlannedAtFirst && step.name === 'form' && isBusy && <p role="status">{text.planning}</p>}
          {failure && state.hasRest && <FailureNotice failure={failure} />}
          <footer>
            {step.name === 'plan' && fields.length > 0 && <Button onClick={state.back}>{text.back}</Button>}
            <Button onClick={cancel}>{dismissOf(confirmOf(action))}</Button>
            <button
              type="submit"
              className={`button primary${isDestructive(action) ? ' danger' : ''}`}
              disabled={isBusy}
            >
              {state.plan === 'step' && step.name === 'form' ? text.preview : confirmOf(action)}
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}

export const dialogOf = <Name extends MutationName>(
  close: () => void,
  { draft, ...action }: Action<Name> & Pick<Props<Name>, 'draft'>,
) => <ActionDialog close={close} draft={draft} action={action as Action<Name>} />;

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
