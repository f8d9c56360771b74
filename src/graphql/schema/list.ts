import type { InputFieldMap, ObjectRef } from '@pothos/core';
import type { Model } from '../../db/tables.ts';
import { builder, type Types } from './builder.ts';
import { type ConnectionOptions, connectionField } from './connection.ts';
import { wordsOf } from './words.ts';

/** As for `connectionField`. The plural is the name of the field in words, unless `plural` says another. */
type ListOptions<P, M extends Model, R, A extends InputFieldMap> = Omit<
  ConnectionOptions<P, M, R, A>,
  'node' | 'plural'
> & { plural?: string };

/** Adds a list to an object type. It depends on the id of the object, or on the columns in `using`. */
export function addList<
  P extends { id: unknown },
  M extends Model,
  R,
  A extends InputFieldMap = Record<never, never>,
  C extends keyof P & string = 'id',
>(
  parent: ObjectRef<Types, P>,
  name: string,
  node: ObjectRef<Types, R>,
  { using = ['id' as C], ...options }: ListOptions<Pick<P, C>, M, R, A> & { using?: readonly C[] },
): void {
  builder.objectField(parent, name, (t) =>
    connectionField<Pick<P, C>, M, R, A>(t.using(...using) as never, {
      node,
      plural: wordsOf(name),
      ...options,
    }),
  );
}

/** Adds a list that depends on the caller alone. */
export function addListQuery<M extends Model, R, A extends InputFieldMap = Record<never, never>>(
  name: string,
  node: ObjectRef<Types, R>,
  options: ListOptions<object, M, R, A>,
): void {
  builder.queryField(name, (t) =>
    connectionField<object, M, R, A>(t as never, { node, plural: wordsOf(name), ...options }),
  );
}
