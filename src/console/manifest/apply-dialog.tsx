import { type FormEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useAct } from '../act/act.ts';
import { FailureNotice } from '../act/dialog.tsx';
import { Dialog } from '../act/dialog-frame.tsx';
import { ManifestPlanView } from '../act/manifest-plan.tsx';
import { JobProgress } from '../act/progress.tsx';
import { useFirstWrong } from '../act/use-first-wrong.ts';
import type { Failure } from '../form/failure.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { Button, Check } from '../ui/controls.tsx';
import type { Options } from './options.tsx';
import type { ManifestTarget, Planning } from './use-plan.ts';

const text = strings.manifest;

interface Props {
  place: ManifestTarget;
  name: string;
  options: Options;
  planning: Planning;
  /** Called when it was applied, before the dialog is closed. */
  applied(): void;
  /** Closes the dialog. With the id of the application if it was applied. */
  close(appId?: number): void;
}

interface Done {
  appId: number | undefined;
  jobs: readonly number[];
}

/** Applies exactly the plan that it shows, or shows why that is no longer possible. */
export function ApplyDialog({ place, name, options, planning, applied, close }: Props) {
  const act = useAct('applyManifest');
  const [failure, setFailure] = useState<Failure>();
  const form = useRef<HTMLFormElement>(null);
  useFirstWrong(form, failure);
  /** The digest of the plan that was refused because it is no longer valid. */
  const [refused, setRefused] = useState<string>();
  const [allowsDestruction, setAllowed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<Done>();
  const { plan, document = '', isCurrent } = planning;
  const isDestructive = plan?.changes.some((change) => change.isDestructive) ?? false;
  const isRefused = isBusy || !isCurrent || !plan || (isDestructive && !allowsDestruction);
  const hasNewPlan = refused !== undefined && isCurrent && plan?.digest !== refused;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isRefused) return;
    setBusy(true);
    setFailure(undefined);
    setRefused(undefined);
    const outcome = await act({
      team: { name: place.team },
      region: { name: place.region },
      document,
      ...options,
      allowsDestruction,
      expectedPlan: plan.digest,
    });
    setBusy(false);
    if (!outcome.failure) {
      setDone({ appId: (outcome.payload as Applied).application?.uid, jobs: outcome.jobs });
      return applied();
    }
    setFailure(outcome.failure);
    if (outcome.failure.code !== 'CONFLICT' && outcome.failure.code !== 'INVALID_INPUT') return;
    setRefused(plan.digest);
    setAllowed(false);
    planning.replan();
  }

  if (done) {
    return (
      <Dialog title={text.applyTitle(name)} isWide close={() => close(done.appId)}>
        {done.jobs.length === 0 && <Notice tone="good">{strings.act.done}</Notice>}
        {done.jobs.map((uid) => (
          <JobProgress key={uid} uid={uid} />
        ))}
        <footer>
          {done.jobs.map((uid) => (
            <Link key={uid} className="button" href={`/jobs/${uid}`}>
              {text.openJob}
            </Link>
          ))}
          <Button look="primary" onClick={() => close(done.appId)}>
            {strings.common.close}
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title={text.applyTitle(name)} isWide close={() => close()}>
      <form ref={form} name="applyManifest" onSubmit={(event) => void submit(event)}>
        {hasNewPlan && plan && (
          <div role="alert">
            <Notice tone="warn">{text.conflict}</Notice>
          </div>
        )}
        {!isCurrent ? (
          <p role="status">{strings.act.planning}</p>
        ) : plan ? (
          <>
            <ManifestPlanView key={plan.digest} plan={plan} />
            <p className="soft">{text.deployed[options.deploy]}</p>
          </>
        ) : (
          planning.failure && <FailureNotice failure={planning.failure} />
        )}
        {failure && isCurrent && plan && !hasNewPlan && <FailureNotice failure={failure} />}
        {isDestructive && isCurrent && (
          <Check label={text.allow} checked={allowsDestruction} change={setAllowed} />
        )}
        <footer>
          <Button onClick={() => close()}>{strings.common.cancel}</Button>
          <button
            type="submit"
            className={isDestructive ? 'button primary danger' : 'button primary'}
            disabled={isRefused}
          >
            {text.applyManifest}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The part of the payload that says which application the manifest made or changed. */
interface Applied {
  application?: { uid: number } | null;
}
