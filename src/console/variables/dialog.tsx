import '../styles/variables.css';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Failure, useAct } from '../act/act.ts';
import { FailureNotice } from '../act/dialog.tsx';
import { Dialog } from '../act/dialog-frame.tsx';
import { useFirstWrong } from '../act/use-first-wrong.ts';
import { SetVariables } from '../documents/act-component.ts';
import { useDraft } from '../form/draft.ts';
import { strings } from '../strings.ts';
import { Loading, Notice } from '../ui/blocks.tsx';
import {
  type Added,
  changesOf,
  type Edit,
  type Edits,
  editsIn,
  isInText,
  noEdits,
  textOf,
  withFile,
  withoutSecrets,
  withSecrets,
} from './edits.ts';
import { parseEnv } from './env-file.ts';
import { EnvText } from './env-text.tsx';
import { AddedRow, VariableRow } from './rows.tsx';
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
export function VariablesDialog({ uid, name, draft: draftName, close }: Props) {
  const by = { componentId: uid };
  const variables = useVariables(uid);
  const act = useAct(SetVariables);
  const draft = useDraft(draftName);
  const [typed, setTyped] = useState<Edits>(() =>
    draft.values.edits ? (JSON.parse(String(draft.values.edits)) as Edits) : noEdits,
  );
  /** Undefined in the table. */
  const [env, setEnv] = useState<string>();
  const [areSecretsShown, showSecrets] = useState(false);
  const [chosen, choose] = useState<{ readonly [name: string]: boolean | undefined }>({});
  const [failure, setFailure] = useState<Failure>();
  const form = useRef<HTMLFormElement>(null);
  useFirstWrong(form, failure);
  const [isBusy, setBusy] = useState(false);

  const { entries, errors } = parseEnv(env ?? '');
  const edits = env === undefined ? typed : editsIn(variables ?? [], typed, entries, chosen);
  const changes = changesOf(variables ?? [], edits);
  const kept = variables && changes.count > 0 && JSON.stringify(withoutSecrets(variables, edits));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is stored as it changes
  useEffect(() => {
    if (kept) draft.setValues({ edits: kept });
  }, [kept]);

  const leave = () => {
    draft.forget();
    close();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const outcome = await act({ component: by, ...changes.input });
    setBusy(false);
    if (outcome.failure) setFailure(outcome.failure);
    else leave();
  };
  /** The errors of the variable with this name. */
  const issueOf = (named: string) => {
    const index = changes.input.set.findIndex((each) => each.name === named);
    return failure?.issues.find(({ path }) => index >= 0 && path.join('.').includes(`set.${index}.`))
      ?.message;
  };
  const refused = changes.input.set.flatMap(({ name }) => {
    const [message, line] = [issueOf(name), entries.find((each) => each.name === name)?.line];
    return message && line ? [{ line, message }] : [];
  });
  const edit = (id: string, change: Edit) =>
    setTyped((before) => ({ ...before, byId: { ...before.byId, [id]: change } }));
  const setAdded = (change: (added: readonly Added[]) => readonly Added[]) =>
    setTyped((before) => ({ ...before, added: change(before.added) }));
  const switchTo = (isText: boolean) => {
    setTyped(edits);
    showSecrets(false);
    setEnv(isText ? textOf(variables ?? [], edits) : undefined);
  };

  return (
    <Dialog title={text.title(name)} isWide close={leave}>
      <form ref={form} onSubmit={(event) => void submit(event)}>
        <p className="soft">{text.intro}</p>
        {draft.isRestored && <Notice tone="idle">{text.saved}</Notice>}
        {!variables && <Loading rows={4} />}
        <fieldset className="modes">
          <legend className="visually-hidden">{text.modes.label}</legend>
          {[false, true].map((isText) => (
            <label key={String(isText)} className="check">
              <input
                type="radio"
                name="mode"
                disabled={!variables || errors.length > 0}
                checked={isText === (env !== undefined)}
                onChange={() => switchTo(isText)}
              />
              {isText ? text.modes.env : text.modes.table}
            </label>
          ))}
        </fieldset>
        {variables && env !== undefined && (
          <EnvText
            name={name}
            value={env}
            errors={[...errors, ...refused]}
            added={edits.added}
            restCount={variables.filter((each) => !isInText(each)).length}
            areSecretsShown={areSecretsShown}
            change={setEnv}
            showSecrets={(areShown) => {
              setTyped(edits);
              setEnv(withSecrets(env, variables, edits, areShown));
              showSecrets(areShown);
            }}
            choose={(name, isSecret) => choose((before) => ({ ...before, [name]: isSecret }))}
            importEntries={(found) => setEnv(withFile(env, found))}
          />
        )}
        {variables && env === undefined && (
          <>
            <ul className="variables">
              {variables.map((variable) => (
                <VariableRow
                  key={variable.id}
                  variable={variable}
                  edit={typed.byId[variable.id] ?? {}}
                  issue={issueOf(variable.name)}
                  change={(change) => edit(variable.id, change)}
                />
              ))}
              {typed.added.map((each, index) => (
                <AddedRow
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and their values are not in the elements
                  key={index}
                  added={each}
                  issue={each.name === '' ? undefined : issueOf(each.name)}
                  change={(change) =>
                    setAdded((before) =>
                      before.map((row, at) => (at === index ? { ...row, ...change } : row)),
                    )
                  }
                  remove={() => setAdded((before) => before.filter((_, at) => at !== index))}
                />
              ))}
            </ul>
            <div>
              <button
                type="button"
                className="button small"
                onClick={() => setAdded((before) => [...before, { name: '', value: '' }])}
              >
                {text.add}
              </button>
            </div>
          </>
        )}
        {changes.count > 0 && errors.length === 0 && (
          <p className="small" role="status">
            {changes.added.length > 0 && `${text.adds(changes.added)} `}
            {changes.changed.length > 0 && `${text.changes(changes.changed)} `}
            {changes.removed.length > 0 && text.removes(changes.removed)}
          </p>
        )}
        {failure && <FailureNotice failure={failure} />}
        <footer>
          <button type="button" className="button" onClick={leave}>
            {strings.common.cancel}
          </button>
          <button
            type="submit"
            className="button primary"
            disabled={isBusy || changes.count === 0 || errors.length > 0}
          >
            {text.save(changes.count)}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
