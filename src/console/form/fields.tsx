import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import type { Failure } from './failure.ts';
import { FieldView } from './field.tsx';
import type { Field, Value, Values } from './values.ts';

/** The errors at a path of the input and below it. */
const issuesAt = (failure: Failure | undefined, path: string): string[] =>
  (failure?.issues ?? [])
    .filter((issue) => {
      const at = issue.path.filter((part) => part !== 'input').join('.');
      return at === path || at.startsWith(`${path}.`);
    })
    .map(({ message }) => message);

export const issuesOf = ({ name, path = name }: Field, failure: Failure | undefined) =>
  issuesAt(failure, path);

interface Props {
  id: string;
  fields: readonly Field[];
  values: Values;
  failure: Failure | undefined;
  change(name: string, value: Value): void;
}

/** The fields of a form, with those that few people need folded away. */
export function FormFields({ fields, ...rest }: Props) {
  const more = fields.filter(({ isMore }) => isMore);
  const isWrong = more.some((field) => issuesOf(field, rest.failure).length > 0);
  return (
    <>
      <Groups {...rest} fields={fields.filter(({ isMore }) => !isMore)} />
      {more.length > 0 && (
        <details className="more-fields" open={isWrong || undefined}>
          <summary>{strings.form.more}</summary>
          <div>
            <Groups {...rest} fields={more} />
          </div>
        </details>
      )}
    </>
  );
}

/** Fields with the same title are a group, where the first of them is. */
function Groups({ id, fields, values, failure, change }: Props) {
  const view = (field: Field): ReactNode => (
    <FieldView
      key={field.name}
      id={`${id}-${field.name}`}
      field={field}
      value={values[field.name] ?? ''}
      // Those of rows are shown in them.
      issues={issuesOf(field, failure).slice(
        0,
        field.kind === 'rows' && hasRow(field, failure) ? 0 : undefined,
      )}
      issuesOf={(path) => issuesAt(failure, path)}
      change={(value) => change(field.name, value)}
    />
  );
  const titles = [...new Set(fields.map(({ group }) => group))];
  return titles.map((title) => {
    const members = fields.filter(({ group }) => group === title);
    if (title === undefined) return members.map(view);
    return (
      <fieldset key={title} className="field-group">
        <legend>{title}</legend>
        {members.map(view)}
      </fieldset>
    );
  });
}

const hasRow = ({ name, path = name }: Field, failure: Failure | undefined) =>
  failure?.issues.some((issue) => {
    const at = issue.path.filter((part) => part !== 'input').join('.');
    return at.startsWith(`${path}.`) && /^\d+\./.test(at.slice(path.length + 1));
  });
