import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import type { Action } from '../../act/action.ts';
import { FailureNotice } from '../../act/dialog.tsx';
import { useAction } from '../../act/use-action.ts';
import { labelOf } from '../../act/words.ts';
import type { MutationName } from '../../documents/mutation.ts';
import { FormFields } from '../../form/fields.tsx';

interface Props<Name extends MutationName> {
  action: Action<Name>;
  draft: string;
  /** Whether its first field gets the focus, because the step before it was just done. */
  isFocused: boolean;
  /** Other actions. */
  children?: ReactNode;
}

/** An action whose form is part of the page. */
export function StepForm<Name extends MutationName>({ action, draft, isFocused, children }: Props<Name>) {
  const state = useAction(action, draft);
  const { fields, values, failure, isBusy } = state;
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the form appears
  useEffect(() => {
    if (isFocused) form.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    state.submit();
  };
  return (
    <form ref={form} className="start-form" onSubmit={submit}>
      {action.intro && <p className="soft">{action.intro}</p>}
      <FormFields id={id} fields={fields} values={values} failure={failure} change={state.change} />
      {failure && state.hasRest && <FailureNotice failure={failure} />}
      <div className="row wrap">
        <button type="submit" className="button primary" disabled={isBusy || state.step.name === 'done'}>
          {labelOf(action)}
        </button>
        {children}
      </div>
    </form>
  );
}
