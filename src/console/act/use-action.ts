import { useCallback, useEffect, useRef, useState } from 'react';
import type { MutationName } from '../documents/mutation.ts';
import { useDraft } from '../form/draft.ts';
import type { Failure } from '../form/failure.ts';
import { issuesOf } from '../form/fields.tsx';
import { initialOf } from '../form/values.ts';
import { type Outcome, type PlanItem, useAct } from './act.ts';
import { type Action, type Change, formOf, type Planned, planOf } from './action.ts';

export type Step =
  | { name: 'form' }
  /** The planned input is the one that is sent, whatever has changed since. */
  | { name: 'plan'; plan: PlanItem[]; payload: unknown; input: object }
  | { name: 'done'; plan: PlanItem[]; jobs: number[]; payload: unknown };

/** How long nothing must be typed before what would change is planned. */
const typingMs = 300;

/** The state of an action: what was entered, the plan, why it failed, and what it did. */
export function useAction<Name extends MutationName>(action: Action<Name>, draftName?: string) {
  const act = useAct(action.mutation) as unknown as (input: object) => Promise<Outcome>;
  const planKind = planOf(action as never);
  const draft = useDraft(draftName);
  const [step, setStep] = useState<Step>({ name: 'form' });
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const change: Change = (name, value) => draft.setValues((before) => ({ ...before, [name]: value }));
  const { fields, input: inputOf } = formOf(action, draft.values, change);
  draft.note(fields);
  const values = { ...initialOf(fields), ...draft.values };
  const isLive = planKind === 'live' && step.name === 'form';
  const plan = useLivePlan(act, isLive ? inputOf(values) : undefined);

  async function send(isDryRun: boolean): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    const unprepared = isDryRun ? undefined : await action.prepare?.(values);
    if (unprepared) {
      setBusy(false);
      setFailure(unprepared);
      return;
    }
    const input = step.name === 'plan' ? step.input : inputOf(values);
    const outcome: Outcome = await act(isDryRun ? { ...input, dryRun: true } : input);
    setBusy(false);
    if (outcome.failure) {
      setFailure(outcome.failure);
      // Errors of fields are shown at the fields, and what has changed since is planned again.
      if (outcome.failure.issues.length > 0 || outcome.failure.code === 'CONFLICT') setStep({ name: 'form' });
      return;
    }
    if (isDryRun) return setStep({ name: 'plan', plan: outcome.plan, payload: outcome.payload, input });
    draft.forget();
    setStep({ name: 'done', plan: outcome.plan, jobs: outcome.jobs, payload: outcome.payload });
    action.done?.(outcome.payload);
  }

  // Without a form, the plan is the first thing to see.
  const started = useRef(false);
  const isPlannedAtFirst = planKind === 'step' && fields.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens
  useEffect(() => {
    if (started.current || !isPlannedAtFirst) return;
    started.current = true;
    void send(true);
  }, []);

  const fieldIssues = fields.flatMap((field) => issuesOf(field, failure));
  return {
    /** When the plan is shown, if it is. */
    plan: planKind,
    fields,
    values,
    step,
    failure,
    /** Whether the failure has something that no field shows. */
    hasRest:
      failure !== undefined && (failure.issues.length === 0 || fieldIssues.length < failure.issues.length),
    isBusy,
    isPlannedAtFirst,
    isRestored: draft.isRestored,
    livePlan: plan,
    change,
    submit() {
      if (!isBusy) void send(planKind === 'step' && step.name === 'form');
    },
    back: () => setStep({ name: 'form' }),
    discard: draft.forget,
  };
}

/** The plan of the current input. The last plan is shown until the next one arrives, and while the input is invalid. */
function useLivePlan(act: (input: object) => Promise<Outcome>, input: object | undefined) {
  const [plan, setPlan] = useState<Planned>();
  const text = JSON.stringify(input);
  const latest = useRef('');
  const look = useCallback(
    async (text: string) => {
      latest.current = text;
      const outcome = await act({ ...(JSON.parse(text) as object), dryRun: true });
      if (latest.current === text && !outcome.failure) setPlan(outcome);
    },
    [act],
  );
  useEffect(() => {
    if (text === undefined) return;
    const timer = setTimeout(() => void look(text), latest.current === '' ? 0 : typingMs);
    return () => clearTimeout(timer);
  }, [text, look]);
  return plan;
}
