import '../../../styles/variables.css';
import { useState } from 'react';
import { Button } from '../../../ui/controls.tsx';
import { type Edits, editsIn, isInText, textOf, type Variable, withFile, withSecrets } from './edits.ts';
import { entriesIn } from './env-entries.ts';
import { EnvText } from './env-text.tsx';
import { AddedRow, VariableRow } from './rows.tsx';
import { text } from './strings.ts';

/** The edits of the variables of a component, in a table or as text. */
export function useVariableEditor(variables: readonly Variable[], initial: Edits) {
  const [typed, setTyped] = useState(initial);
  /** Undefined in the table. */
  const [env, setEnv] = useState<string>();
  const [areSecretsShown, showSecrets] = useState(false);
  const [chosen, choose] = useState<{ readonly [name: string]: boolean | undefined }>({});
  const { entries, errors } = entriesIn(env ?? '');
  const edits = env === undefined ? typed : editsIn(variables, typed, entries, chosen);
  return {
    variables,
    edits,
    env,
    entries,
    errors,
    areSecretsShown,
    setTyped,
    setEnv,
    switchTo(isText: boolean) {
      setTyped(edits);
      showSecrets(false);
      setEnv(isText ? textOf(variables, edits) : undefined);
    },
    showSecrets(areShown: boolean) {
      setTyped(edits);
      setEnv(withSecrets(env ?? '', variables, edits, areShown));
      showSecrets(areShown);
    },
    choose: (name: string, isSecret: boolean) => choose((before) => ({ ...before, [name]: isSecret })),
  };
}
type VariableEditor = ReturnType<typeof useVariableEditor>;

interface Props {
  /** Of the file that is exported. */
  name: string;
  editor: VariableEditor;
  /** The error of the variable with this name. */
  issueOf(name: string): string | undefined;
}

export function VariableFields({ name, editor, issueOf }: Props) {
  const { variables, edits, env, entries, errors } = editor;
  const refused = entries.flatMap(({ name, line }) => {
    const message = issueOf(name);
    return message ? [{ line, message }] : [];
  });
  return (
    <>
      <fieldset className="modes">
        <legend className="visually-hidden">{text.modes.label}</legend>
        {[false, true].map((isText) => (
          <label key={String(isText)} className="check">
            <input
              type="radio"
              name="variables-mode"
              disabled={errors.length > 0}
              checked={isText === (env !== undefined)}
              onChange={() => editor.switchTo(isText)}
            />
            {isText ? text.modes.env : text.modes.table}
          </label>
        ))}
      </fieldset>
      {env === undefined ? (
        <VariableTable editor={editor} issueOf={issueOf} />
      ) : (
        <EnvText
          name={name}
          value={env}
          errors={[...errors, ...refused]}
          added={edits.added}
          restCount={variables.filter((each) => !isInText(each)).length}
          areSecretsShown={editor.areSecretsShown}
          change={editor.setEnv}
          showSecrets={editor.showSecrets}
          choose={editor.choose}
          importEntries={(found) => editor.setEnv(withFile(env, found))}
        />
      )}
    </>
  );
}

function VariableTable({ editor: { variables, edits, setTyped }, issueOf }: Omit<Props, 'name'>) {
  const setAdded = (change: (added: Edits['added']) => Edits['added']) =>
    setTyped((before) => ({ ...before, added: change(before.added) }));
  return (
    <>
      {variables.length + edits.added.length > 0 && (
        <ul className="variables">
          {variables.map((variable) => (
            <VariableRow
              key={variable.id}
              variable={variable}
              edit={edits.byId[variable.id] ?? {}}
              issue={issueOf(variable.name)}
              change={(change) =>
                setTyped((before) => ({ ...before, byId: { ...before.byId, [variable.id]: change } }))
              }
            />
          ))}
          {edits.added.map((each, index) => (
            <AddedRow
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and their values are not in the elements
              key={index}
              added={each}
              issue={each.name === '' ? undefined : issueOf(each.name)}
              change={(change) =>
                setAdded((before) => before.map((row, at) => (at === index ? { ...row, ...change } : row)))
              }
              remove={() => setAdded((before) => before.filter((_, at) => at !== index))}
            />
          ))}
        </ul>
      )}
      <div>
        <Button look="small" onClick={() => setAdded((before) => [...before, { name: '', value: '' }])}>
          {text.add}
        </Button>
      </div>
    </>
  );
}
