import type { FieldRef, ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { Types } from './builder.ts';

type FieldBuilder<Row extends object> = PothosSchemaTypes.ObjectFieldBuilder<Types, Row>;

interface Related<Key, R> {
  read(context: Context, key: Key): Promise<R>;
  description: string;
}

/** A field with the object that a column refers to. */
export const related = <Row extends object, C extends keyof Row & string, R>(
  t: FieldBuilder<Row>,
  column: C,
  type: ObjectRef<Types, R>,
  { read, description }: Related<Row[C], R>,
): FieldRef<Types, R> =>
  t.using(column).field({
    type,
    description,
    resolve: (row: Pick<Row, C>, _: unknown, context: Context) => read(context, row[column]),
  } as never);

/** As `related`, for a column that can be null, or that can refer to what the caller may not see. */
export const relatedOrNull = <Row extends object, C extends keyof Row & string, R>(
  t: FieldBuilder<Row>,
  column: C,
  type: ObjectRef<Types, R>,
  { read, description }: Related<NonNullable<Row[C]>, R | null>,
): FieldRef<Types, R | null> =>
  t.using(column).field({
    type,
    nullable: true,
    description,
    resolve: (row: Pick<Row, C>, _: unknown, context: Context) => {
      const key = row[column];
      return key == null ? null : read(context, key);
    },
  } as never);
