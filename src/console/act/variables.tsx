import { type FormEvent, useId, useRef, useState } from 'react';
import { useQuery } from 'urql';
import type { ResultOf } from '../api/graphql.ts';
import { SetVariables, VariablesQuery } from '../documents/act-component.ts';
import { strings } from '../strings.ts';
import { Loading } from '../ui/blocks.tsx';
import { type Failure, useAct } from './act.ts';
import { FailureNotice } from './dialog.tsx';
import { Dialog } from './dialog-frame.tsx';
import { useFirstWrong } from './use-first-wrong.ts';

const text = strings.act;

type Variable = NonNullable<ResultOf<typeof VariablesQuery>['component']>['variables']['nodes'][number];

/** What was entered for a variable: another value, or that it goes. */
interface Edit {
  value?: string;
  isRemoved?: boolean;
}
interface Added {
  name: string;
  value: string;
  isSecret: boolean;
}

/** Changes the variables of a component. Secrets are masked until they are shown or changed. */
export function VariablesDialog({ uid, name, close }: { uid: string; name: string; close(): void }) {
  const [{ data }] = useQuery({ query: VariablesQuery, variables: { by: { componentId: uid } } });
  const act = useAct(SetVariables);
  const [edits, setEdits] = useState<{ readonly [id: string]: Edit }>({});
  const [added, setAdded] = useState<readonly Added[]>([]);
  const [failure, setFailure] = useState<Failure>();
  const form = useRef<HTMLFormElement>(null);
  useFirstWrong(form, failure);
  const [isBusy, setBusy] = useState(false);
  const variables = data?.component?.variables.nodes.filter(({ isDerived }) => !isDerived);

  const removed = (variables ?? []).filter(({ id }) => edits[id]?.isRemoved);
  const changed = (variables ?? []).filter(({ id, value }) => {
    const edit = edits[id];
    return edit?.value !== undefined && !edit.isRemoved && edit.value !== value;
  });
  const fresh = added.filter((each) => each.name !== '');
  const count = removed.length + changed.length + fresh.length;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    const outcome = await act({
      component: { componentId: uid },
      set: [
        ...changed.map(({ id, name, scope, isSecret, revision }) => ({
          name,
          scope,
          isSecret,
          value: edits[id]?.value ?? '',
          expectedRevision: revision,
        })),
        ...fresh.map(({ name, value, isSecret }) => ({ name, value, ...(isSecret && { isSecret }) })),
      ],
      remove: removed.map(({ name, scope, revision }) => ({ name, scope, expectedRevision: revision })),
    });
    setBusy(false);
    if (outcome.failure) setFailure(outcome.failure);
    else close();
  }

  const edit = (id: string, change: Edit) =>
    setEdits((before) => ({ ...before, [id]: { ...before[id], ...change } }));
  return (
    <Dialog title={text.titles.variables(name)} isWide close={close}>
      <form ref={form} onSubmit={(event) => void submit(event)}>
        <p className="soft">{text.intros.variables}</p>
        {!variables && <Loading rows={4} />}
        <ul className="variables">
          {variables?.map((variable) => (
            <VariableRow
              key={variable.id}
              variable={variable}
              edit={edits[variable.id] ?? {}}
              change={(change) => edit(variable.id, change)}
            />
          ))}
          {added.map((each, index) => (
            <AddedRow
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are only appended
              key={index}
              added={each}
              issue={issueAt(failure, changed.length + index)}
              change={(change) =>
                setAdded((before) => before.map((row, at) => (at === index ? { ...row, ...change } : row)))
              }
            />
          ))}
        </ul>
        <div>
          <button
            type="button"
            className="button small"
            onClick={() => setAdded((before) => [...before, { name: '', value: '', isSecret: false }])}
          >
            {text.addVariable}
          </button>
        </div>
        {failure && <FailureNotice failure={failure} />}
        <footer>
          <button type="button" className="button" onClick={close}>
            {strings.common.cancel}
          </button>
          <button type="submit" className="button primary" disabled={isBusy || count === 0}>
            {text.saveVariables(count)}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const issueAt = (failure: Failure | undefined, index: number) =>
  failure?.issues.find(({ path }) => path.join('.').includes(`set.${index}.`))?.message;

interface RowProps {
  variable: Variable;
  edit: Edit;
  change(edit: Edit): void;
}

function VariableRow({ variable, edit, change }: RowProps) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  const { name, value, isSecret, isChangeable } = variable;
  const isMasked = isSecret && !isShown && edit.value === undefined;
  return (
    <li className={edit.isRemoved ? 'removed' : undefined}>
      <label htmlFor={id} className="mono truncate" title={name}>
        {name}
      </label>
      <input
        id={id}
        className="input mono"
        type={isMasked ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        disabled={!isChangeable || edit.isRemoved}
        value={edit.value ?? value ?? ''}
        onChange={(event) => change({ value: event.target.value })}
      />
      {isSecret && (
        <button
          type="button"
          className="button quiet small"
          aria-label={isShown ? text.hideSecret(name) : text.showSecret(name)}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? strings.common.hide : strings.common.show}
        </button>
      )}
      <button
        type="button"
        className="button quiet small"
        disabled={!isChangeable}
        aria-label={edit.isRemoved ? text.keepVariable(name) : text.removeVariable(name)}
        onClick={() => change({ isRemoved: !edit.isRemoved })}
      >
        {edit.isRemoved ? text.keep : text.remove}
      </button>
    </li>
  );
}

interface AddedProps {
  added: Added;
  issue: string | undefined;
  change(change: Partial<Added>): void;
}

function AddedRow({ added, issue, change }: AddedProps) {
  return (
    <li className="added">
      <input
        className="input mono"
        aria-label={text.fields.variableName}
        placeholder={text.fields.variableName}
        aria-invalid={issue !== undefined}
        value={added.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <input
        className="input mono"
        aria-label={text.fields.variableValue}
        placeholder={text.fields.variableValue}
        type={added.isSecret ? 'password' : 'text'}
        autoComplete="off"
        value={added.value}
        onChange={(event) => change({ value: event.target.value })}
      />
      <label className="check small">
        <input
          type="checkbox"
          checked={added.isSecret}
          onChange={(event) => change({ isSecret: event.target.checked })}
        />
        {text.fields.isSecret}
      </label>
      {issue && <p className="field-error">{issue}</p>}
    </li>
  );
}
