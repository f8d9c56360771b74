import type { FieldOf } from './fields-model.ts';
import { shownValue } from './fields-model.ts';
import type { FieldChange, ManifestChange, ObjectKind, PlannedObject } from './model.ts';

const redacted = '[redacted]';

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** A field that changes. The values of secrets are redacted. */
export const fieldChange = (
  field: string,
  before: unknown,
  after: unknown,
  isSecret = false,
): FieldChange => {
  const shown = (value: unknown) =>
    isSecret && value !== null && value !== undefined ? redacted : textOf(value);
  return { field, before: shown(before), after: shown(after), isSecret };
};

/** The columns of a row that a change sets to another value. */
export function changedColumns<R extends object>(row: R, wanted: Partial<R>): Partial<R> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([column, value]) => row[column as keyof R] !== value),
  ) as Partial<R>;
}

/** The fields of the document that change with columns of a row. */
export const changedFields = <R extends object>(
  fields: readonly FieldOf<R>[],
  row: R,
  data: Partial<R>,
  prefix = '',
): FieldChange[] =>
  fields.flatMap((of) =>
    of.column in data
      ? fieldChange(
          `${prefix}${of.field}`,
          shownValue(of, row[of.column]),
          shownValue(of, data[of.column as keyof R]),
        )
      : [],
  );

/** The fields of a new object, as the document would have them. */
export const givenFields = (shown: { [field: string]: unknown }): FieldChange[] =>
  Object.entries(shown).map(([field, value]) => fieldChange(field, null, value));

/** Collects what a plan lists. */
export class ChangeList {
  readonly changes: ManifestChange[] = [];
  readonly leftOver: PlannedObject[] = [];
  readonly adopted: PlannedObject[] = [];

  add(
    action: ManifestChange['action'],
    object: PlannedObject,
    fields: FieldChange[],
    about: Partial<Pick<ManifestChange, 'isDestructive' | 'takesEffect'>> = {},
  ): void {
    this.changes.push({ action, ...object, fields, isDestructive: false, takesEffect: 'AT_ONCE', ...about });
  }
}

export const object = (kind: ObjectKind, component: string | null, name: string): PlannedObject => ({
  object: kind,
  component,
  name,
});
