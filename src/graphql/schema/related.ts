import type { FieldRef, ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { Types } from './builder.ts';
import { readersOf } from './node.ts';

type FieldBuilder<Row extends object> = PothosSchemaTypes.ObjectFieldBuilder<Types, Row>;

/** The columns that have ids of objects of a type. */
type Reference<Row, R extends { id: unknown }> = {
  [C in keyof Row & string]: NonNullable<Row[C]> extends R['id'] ? C : never;
}[keyof Row & string];

/** A field with the object that a column refers to, whose entity says how it is loaded. */
export const related = <Row extends object, R extends { id: unknown }>(
  t: FieldBuilder<Row>,
  column: Reference<Row, R>,
  type: ObjectRef<Types, R>,
  description: string,
): FieldRef<Types, R> =>
  t.using(column).field({
    type,
    description,
    resolve: (row: Row, _: unknown, context: Context) => readersOf(type).load!(context, row[column]),
  } as never);

/**
 * As `related`, for a column that can be null, or that can refer to what the caller may not see. Without `read`, the entity
 * says whether they may.
 */
export const relatedOrNull = <Row extends object, R extends object, C extends keyof Row & string>(
  t: FieldBuilder<Row>,
  column: C,
  type: ObjectRef<Types, R>,
  description: string,
  read = (context: Context, key: NonNullable<Row[C]>) =>
    readersOf(type).read(context, String(key)) as Promise<R | null>,
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
