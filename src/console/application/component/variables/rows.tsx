import { useId, useState } from 'react';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/controls.tsx';
import { type Added, type Edit, isSecret, type Variable } from './edits.ts';
import { text } from './strings.ts';

interface RowProps {
  variable: Variable;
  edit: Edit;
  issue: string | undefined;
  change(edit: Edit): void;
}

/** A variable that the component has. A secret is masked until it is shown or changed. */
export function VariableRow({ variable, edit, issue, change }: RowProps) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  const { name, value, isSecret, isChangeable, scope } = variable;
  const isMasked = isSecret && !isShown && edit.value === undefined;
  return (
    <li className={edit.isRemoved ? 'removed' : undefined}>
      <label htmlFor={id} className="mono truncate" title={name}>
        {name}
        {scope === 'CONNECTION' && <span className="soft"> {text.connection}</span>}
      </label>
      <input
        id={id}
        className="input mono"
        type={isMasked ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        disabled={!isChangeable || edit.isRemoved}
        aria-invalid={issue !== undefined}
        value={edit.value ?? value ?? ''}
        onChange={(event) => change({ value: event.target.value })}
      />
      {isSecret && (
        <Button
          look="quiet small"
          aria-label={isShown ? text.hideValue(name) : text.showValue(name)}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? strings.common.hide : strings.common.show}
        </Button>
      )}
      <Button
        look="quiet small"
        disabled={!isChangeable}
        aria-label={edit.isRemoved ? text.keepNamed(name) : text.removeNamed(name)}
        onClick={() => change({ ...edit, isRemoved: !edit.isRemoved })}
      >
        {edit.isRemoved ? text.keep : text.remove}
      </Button>
      {issue && <p className="field-error">{issue}</p>}
    </li>
  );
}

interface AddedProps {
  added: Added;
  issue: string | undefined;
  change(change: Partial<Added>): void;
  remove(): void;
}

/** A new variable. Whether it is a secret follows its name until it is chosen. */
export function AddedRow({ added, issue, change, remove }: AddedProps) {
  return (
    <li className="added">
      <input
        className="input mono"
        aria-label={text.name}
        placeholder={text.name}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={issue !== undefined}
        value={added.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <input
        className="input mono"
        aria-label={text.value}
        placeholder={text.value}
        type={isSecret(added) ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={added.value}
        onChange={(event) => change({ value: event.target.value })}
      />
      <label className="check small">
        <input
          type="checkbox"
          checked={isSecret(added)}
          onChange={(event) => change({ isSecret: event.target.checked })}
        />
        {text.secret}
      </label>
      <Button look="quiet small" aria-label={text.removeNamed(added.name || text.name)} onClick={remove}>
        {text.remove}
      </Button>
      {issue && <p className="field-error">{issue}</p>}
    </li>
  );
}
