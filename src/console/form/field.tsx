import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Button, Select } from '../ui/controls.tsx';
import { Choices } from './choices.tsx';
import { FileControl } from './file-control.tsx';
import { type ControlProps, type Field, initialOf, type Value, type Values } from './values.ts';

interface Props {
  id: string;
  field: Field;
  value: Value;
  issues: readonly string[];
  /** The errors of a field in a row. */
  issuesOf?(path: string): readonly string[];
  change(value: Value): void;
}

export function FieldView({ id, field, value, issues, issuesOf, change }: Props) {
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
      {field.below}
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
  if (kind === 'rows' || kind === 'choices') {
    return (
      <fieldset className="field" aria-describedby={`${id}-hint`}>
        <legend>{label}</legend>
        {kind === 'rows' ? (
          <Rows id={id} field={field} value={value} issuesOf={issuesOf} change={change} />
        ) : (
          <Choices id={id} options={field.options ?? []} value={value} change={change} />
        )}
        {note}
      </fieldset>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Control field={field} value={value} common={common} change={change} />
      {note}
    </div>
  );
}

function Control({ field, ...props }: ControlProps & { field: Field }): ReactNode {
  const { kind = 'text' } = field;
  const { value, common, change } = props;
  if (field.control) return field.control(props);
  if (kind === 'select')
    return <Select {...common} options={field.options ?? []} value={String(value)} change={change} />;
  if (kind === 'file')
    return <FileControl field={field} value={String(value)} common={common} change={change} />;
  if (kind === 'area' || kind === 'lines') {
    return (
      <textarea
        {...common}
        className="input mono"
        rows={4}
        spellCheck={false}
        placeholder={field.placeholder}
        value={String(value)}
        onChange={(event) => change(event.target.value)}
      />
    );
  }
  return (
    <input
      {...common}
      type={kind}
      min={field.min}
      max={field.max}
      step={field.type === 'number' ? 'any' : undefined}
      className="input"
      autoComplete="off"
      spellCheck={false}
      placeholder={field.placeholder}
      value={String(value)}
      onChange={(event) => change(event.target.value)}
    />
  );
}
/** A list whose rows have fields of their own. */
function Rows({ id, field, value, issuesOf, change }: Omit<Props, 'issues'>) {
  const rows = Array.isArray(value) ? (value as readonly Values[]) : [];
  const fields = field.fields ?? [];
  const path = field.path ?? field.name;
  return (
    <div className="rows">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and their values are not in the elements
        <fieldset key={index} className="rows-row">
          <legend className="visually-hidden">{strings.form.row(index + 1)}</legend>
          {fields.map((each) => (
            <FieldView
              key={each.name}
              id={`${id}-${index}-${each.name}`}
              field={each}
              value={row[each.name] ?? ''}
              issues={issuesOf?.(`${path}.${index}.${each.path ?? each.name}`) ?? []}
              change={(next) =>
                change(rows.map((old, at) => (at === index ? { ...old, [each.name]: next } : old)))
              }
            />
          ))}
          <Button
            look="quiet small"
            aria-label={strings.form.removeRow(index + 1)}
            onClick={() => change(rows.filter((_, at) => at !== index))}
          >
            {strings.form.remove}
          </Button>
        </fieldset>
      ))}
      <Button look="small" onClick={() => change([...rows, initialOf(fields)])}>
        {field.add ?? strings.form.add}
      </Button>
    </div>
  );
}
