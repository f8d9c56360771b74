import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAct } from '../../../act/act.ts';
import { FailureNotice } from '../../../act/dialog.tsx';
import { Dialog } from '../../../act/dialog-frame.tsx';
import { useFirstWrong } from '../../../act/use-first-wrong.ts';
import { useDraft } from '../../../form/draft.ts';
import type { Failure } from '../../../form/failure.ts';
import { strings } from '../../../strings.ts';
import { Loading, Notice } from '../../../ui/blocks.tsx';
import { Button } from '../../../ui/controls.tsx';
import { useVariableEditor, VariableFields } from './editor.tsx';
import { changesOf, type Edits, noEdits, type Variable, withoutSecrets } from './edits.ts';
import { text } from './strings.ts';
import { useVariables } from './use-variables.ts';

interface Props {
  uid: string;
  name: string;
  /** By which what was typed is stored, but for secrets. */
  draft: string;
  close(): void;
}

/** Changes the variables of a component, in a table or as the text of an `.env` file. */
export function VariablesDialog({ draft: draftName, ...props }: Props) {
  const variables = useVariables(props.uid);
  const draft = useDraft(draftName);
  const leave = () => {
    draft.forget();
    props.close();
  };
  return (
    <Dialog title={text.title(props.name)} isWide close={leave}>
      <p className="soft">{text.intro}</p>
      {draft.isRestored && <Notice tone="idle">{text.saved}</Notice>}
      {variables ? (
        <VariablesForm {...props} variables={variables} draft={draft} close={leave} />
      ) : (
        <Loading rows={4} />
      )}
    </Dialog>
  );
}

interface FormProps extends Omit<Props, 'draft'> {
  variables: readonly Variable[];
  draft: ReturnType<typeof useDraft>;
}

function VariablesForm({ uid, name, variables, draft, close }: FormProps) {
  const act = useAct('setVariables');
  const stored = draft.values.edits;
  const editor = useVariableEditor(variables, stored ? (JSON.parse(String(stored)) as Edits) : noEdits);
  const [failure, setFailure] = useState<Failure>();
  const form = useRef<HTMLFormElement>(null);
  useFirstWrong(form, failure);
  const [isBusy, setBusy] = useState(false);
  const { added, changed, removed, count, input } = changesOf(variables, editor.edits);
  const kept = count > 0 ? JSON.stringify(withoutSecrets(variables, editor.edits)) : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is stored as it changes
  useEffect(() => {
    if (kept) draft.setValues({ edits: kept });
  }, [kept]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const outcome = await act({ component: { componentId: uid }, ...input });
    setBusy(false);
    if (outcome.failure) setFailure(outcome.failure);
    else close();
  };
  const issueOf = (named: string) => {
    const index = input.set.findIndex((each) => each.name === named);
    return failure?.issues.find(({ path }) => index >= 0 && path.join('.').includes(`set.${index}.`))
      ?.message;
  };
  return (
    <form ref={form} name="setVariables" onSubmit={(event) => void submit(event)}>
      <VariableFields name={name} editor={editor} issueOf={issueOf} />
      {count > 0 && editor.errors.length === 0 && (
        <p className="small" role="status">
          {added.length > 0 && `${text.adds(added)} `}
          {changed.length > 0 && `${text.changes(changed)} `}
          {removed.length > 0 && text.removes(removed)}
        </p>
      )}
      {failure && <FailureNotice failure={failure} />}
      <footer>
        <Button onClick={close}>{strings.common.cancel}</Button>
        <button
          type="submit"
          className="button primary"
          disabled={isBusy || count === 0 || editor.errors.length > 0}
        >
          {text.save(count)}
        </button>
      </footer>
    </form>
  );
}
