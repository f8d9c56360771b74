import { type ReactNode, type RefObject, useId, useMemo, useState } from 'react';
import { FailureNotice } from '../act/dialog.tsx';
import { type ManifestPlan, ManifestPlanView } from '../act/manifest-plan.tsx';
import type { Failure, Issue } from '../form/failure.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { Discard } from './discard.tsx';
import { DownloadButton } from './download-button.tsx';
import type { Draft } from './draft.ts';
import { Editor, type EditorHandle } from './editor.tsx';
import { applicationNameIn } from './name.ts';
import { OptionFields, type Options } from './options.tsx';
import { type ManifestTarget, type Planning, usePlan } from './use-plan.ts';

const text = strings.manifest;

interface Props {
  label: string;
  place: ManifestTarget;
  /** The text that is edited while nothing was typed. */
  initial: string;
  draft: Draft;
  updatedAt: string;
  mayApply: boolean;
  editor: RefObject<EditorHandle | null>;
  /** A notice about a plan for an application of this name. */
  notice(name: string | undefined, plan: ManifestPlan): string | undefined;
  applied(appId: number | undefined): void;
  /** Ends editing. Without it, there is nothing to go back to. */
  stop?(): void;
  children?: ReactNode;
}

/** An editor with the plan of its text, which can be applied. */
export function Workbench(props: Props) {
  const { label, place, initial, draft, updatedAt, mayApply, editor, notice, applied, stop } = props;
  const [options, setOptions] = useState<Options>({ prune: 'NONE', deploy: 'CHANGED', startStopped: false });
  const [isConfirming, setConfirming] = useState(false);
  const id = useId();
  const document = draft.text ?? initial;
  const planning = usePlan({ ...place, document, ...options, updatedAt }, isConfirming);
  const { plan, failure, isCurrent } = planning;
  const planned = planning.document;
  const name = useMemo(() => (planned === undefined ? undefined : applicationNameIn(planned)), [planned]);
  const note = plan && notice(name, plan);
  const hasWork =
    plan !== undefined && (plan.changes.length + plan.adopted.length > 0 || options.deploy === 'ALL');
  return (
    <div className="workbench">
      <section className="workbench-text" aria-label={label}>
        <div className="row wrap">
          {props.children}
          <div className="spacer" />
          <div className="row">
            <CopyButton value={document} />
            <DownloadButton name={name} document={document} />
            <Discard draft={draft} stop={stop} />
          </div>
        </div>
        {draft.isRestored && <Notice tone="idle">{text.restored}</Notice>}
        <Editor
          ref={editor}
          label={label}
          value={document}
          change={(value) => draft.set(value === initial ? undefined : value)}
          issues={failure?.issues}
          description={`${id}-keys`}
        />
        <p id={`${id}-keys`} className="soft small">
          {text.keys}
        </p>
      </section>
      <section className="card workbench-plan" aria-label={text.plan} aria-busy={!isCurrent}>
        <header className="row">
          <h2>{text.plan}</h2>
          <span role="status" className="soft small">
            {statusOf(planning)}
          </span>
          <div className="spacer" />
          <Button
            look="primary"
            disabled={!mayApply || !isCurrent || !hasWork}
            aria-describedby={mayApply ? undefined : `${id}-reason`}
            onClick={() => setConfirming(true)}
          >
            {text.apply}
          </Button>
        </header>
        {!mayApply && (
          <p id={`${id}-reason`} className="soft small">
            {text.mayNotApply}
          </p>
        )}
        <OptionFields options={options} stopped={plan?.leftStopped.length ?? 0} change={setOptions} />
        {note && <Notice tone="warn">{note}</Notice>}
        {failure && <Problems failure={failure} planning={planning} editor={editor} />}
        {plan && <ManifestPlanView key={plan.digest} plan={plan} />}
      </section>
      {isConfirming && (
        <ApplyDialog
          place={place}
          name={name ?? ''}
          options={options}
          planning={planning}
          applied={draft.forget}
          close={(appId) => {
            setConfirming(false);
            if (appId !== undefined) applied(appId);
          }}
        />
      )}
    </div>
  );
}

function statusOf({ isCurrent, plan, failure }: Planning): string {
  if (!isCurrent) return strings.act.planning;
  if (failure) return failure.issues.length > 0 ? text.mistakes(failure.issues.length) : '';
  return plan ? text.changes(plan.changes.length) : '';
}

interface ProblemsProps {
  failure: Failure;
  planning: Planning;
  editor: RefObject<EditorHandle | null>;
}

/** Why there is no plan. An issue leads to its place in the editor. */
function Problems({ failure, planning, editor }: ProblemsProps) {
  if (failure.issues.length === 0) {
    return (
      <>
        <FailureNotice failure={failure} />
        <div>
          <Button look="small" onClick={planning.replan}>
            {text.planAgain}
          </Button>
        </div>
      </>
    );
  }
  return (
    <ul className="problems">
      {failure.issues.map((issue) => (
        <li key={`${issue.path.join('.')} ${issue.message}`}>
          {issue.line !== undefined && (
            <button type="button" className="link" onClick={() => editor.current?.show(issue)}>
              {text.place(issue.line, issue.column ?? 1)}
            </button>
          )}{' '}
          <code>{pathOf(issue)}</code> {issue.message}
        </li>
      ))}
    </ul>
  );
}

/** The path within the document. */
const pathOf = ({ path }: Issue) => path.slice(path.indexOf('document') + 1).join('.');
