import type { Context } from '../../../context.ts';
import { objectNameOf } from '../name-reads.ts';
import type { Described, FieldChange } from './model.ts';
import { sentenceOf } from './sentence-model.ts';

/** The types of the objects whose ids are in fields. Only teams are owned by people. */
const references: Readonly<Record<string, string>> = {
  certificateId: 'Certificate',
  copyOfId: 'Application',
  dependencyId: 'Component',
  ownerId: 'User',
  portId: 'Port',
  regionId: 'Region',
  roleId: 'Role',
  serviceAccountId: 'ServiceAccount',
  userId: 'User',
};

type Changes = { readonly [field: string]: readonly [before: unknown, after: unknown] };

/** The name of an object, as it is or was, if the caller may see that. */
const nameOf = (context: Context, subjectType: string, id: string) =>
  objectNameOf(context, { subjectType, subjectId: id, changes: '{}' });

export const fieldsOf = (changes: Changes): FieldChange[] =>
  Object.entries(changes).map(([field, [before, after]]) => ({ field, before, after }));

/** The sentence of a change, with the names of the objects that its fields refer to. */
export async function describe(
  context: Context,
  change: Pick<Described, 'action' | 'type' | 'name' | 'fields'> & { componentId: string | null },
): Promise<string> {
  const { type, fields, componentId, ...rest } = change;
  const isReference = (field: string) => field in references && (field !== 'ownerId' || type === 'Team');
  const ids = fields.flatMap(({ field, before, after }) =>
    isReference(field) ? [before, after].flatMap((id) => (id === null ? [] : { field, id })) : [],
  );
  const [component, ...names] = await Promise.all([
    type === 'Component' || componentId === null ? null : nameOf(context, 'Component', componentId),
    ...ids.map(({ field, id }) => nameOf(context, references[field]!, String(id))),
  ]);
  const known = new Map(ids.map(({ field, id }, index) => [`${field} ${id}`, names[index]!]));
  return sentenceOf({
    ...rest,
    type,
    fields,
    component,
    nameOf: (field, id) => known.get(`${field} ${id}`) ?? undefined,
  });
}
