import type { Failure } from './act.ts';

/** A field of a form. */
export interface Field {
  name: string;
  label: string;
  /** The path in the input that errors of this field have: `domain`. The name by default. */
  path?: string;
  kind?: 'text' | 'number' | 'password' | 'checkbox' | 'select' | 'area';
  options?: readonly { value: string; text: string }[];
  value?: string | boolean;
  hint?: string;
  required?: boolean;
  min?: number;
  max?: number;
}

export type Values = { readonly [name: string]: string | boolean };

/** The help text of a field. */
export const issuesOf = ({ name, path = name }: Field, failure: Failure | undefined) =>
  (failure?.issues ?? [])
    .filter((issue) => {
      const at = issue.path.filter((part) => part !== 'input').join('.');
      return at === path || at.startsWith(`${path}.`);
    })
    .map(({ message }) => message);

interface Props {
  id: string;
  field: Field;
  value: string | boolean;
  issues: readonly string[];
  change(value: string | boolean): void;
}

export function FieldView({ id, field, value, issues, change }: Props) {
  const { kind = 'text', label, hint } = field;
  const common = {
    id,
    name: field.name,
    required: field.required,
    'aria-invalid': issues.length > 0,
    'aria-describedby': `${id}-hint`,
  };
  const note = (
    <div id={`${id}-hint`} className="small">
      {issues.map((issue) => (
        <p key={issue} className="field-error">
          {issue}
        </p>
      ))}
      {hint && <p className="soft">{hint}</p>}
    </div>
  );
  if (kind === 'checkbox') {
    return (
      <div className="field">
        <label className="check" htmlFor={id}>
          <input
            {...common}
            required={false}
            type="checkbox"
            checked={value === true}
            onChange={(event) => change(event.target.checked)}
          />
          {label}
        </label>
        {note}
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {kind === 'select' ? (
        <select
          {...common}
          className="input"
          value={String(value)}
          onChange={(event) => change(event.target.value)}
        >
          {field.options?.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      ) : kind === 'area' ? (
        <textarea
          {...common}
          className="input mono"
          rows={4}
          value={String(value)}
          onChange={(event) => change(event.target.value)}
        />
      ) : (
        <input
          {...common}
          type={kind}
          min={field.min}
          max={field.max}
          className="input"
          autoComplete="off"
          spellCheck={false}
          value={String(value)}
          onChange={(event) => change(event.target.value)}
        />
      )}
      {note}
    </div>
  );
}
