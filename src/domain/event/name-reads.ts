import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findObject } from '../../graphql/schema/node.ts';
import { visibleUserById } from '../user/reads.ts';
import { nameIn, recordedFields } from './name-model.ts';
import { firstEventAbout, lastEventAbout } from './reads.ts';

type About = Pick<Row<'Event'>, 'subjectType' | 'subjectId' | 'changes'>;

const fieldsIn = ({ changes }: Pick<About, 'changes'>) => recordedFields(JSON.parse(changes));

/**
 * The name of the object of an event: as it is now or, if it was deleted, as the record has it. Null for types without names,
 * and for users who are not visible to the actor.
 */
export async function objectNameOf(context: Context, event: About): Promise<string | null> {
  const { subjectType: type, subjectId: id } = event;
  if (type === 'TeamMember') return memberNameOf(context, event);
  if (type === 'User') return userNameOf(context, Number(id));
  const row = await findObject(context, type, id);
  if (row) return nameIn(type, row as { [field: string]: unknown });
  return recordedIn(context, event, (fields) => nameIn(type, fields));
}

/**
 * The recorded value of a deleted object: in the event, or in one of those that record all of an object, which are the last
 * and the first about it.
 */
async function recordedIn<T>(
  context: Context,
  event: About,
  find: (fields: { readonly [field: string]: unknown }) => T | null,
): Promise<T | null> {
  const value = find(fieldsIn(event));
  if (value !== null) return value;
  for (const read of [lastEventAbout, firstEventAbout]) {
    const other = await read(context, event.subjectId, event.subjectType);
    const otherValue = other && find(fieldsIn(other));
    if (otherValue !== null) return otherValue;
  }
  return null;
}

async function memberNameOf(context: Context, event: About): Promise<string | null> {
  const member = (await findObject(context, event.subjectType, event.subjectId)) as Row<'Membership'> | null;
  const userId =
    member?.userId ??
    (await recordedIn(context, event, ({ userId }) => (userId === undefined ? null : Number(userId))));
  return userId === null ? null : userNameOf(context, userId);
}

const userNameOf = async (context: Context, id: number): Promise<string | null> =>
  (await visibleUserById(context, id))?.nickName ?? null;
