import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findObject } from '../../graphql/schema/node.ts';
import { userById, visibleUserById } from '../user/reads.ts';
import { nameIn, recordedFields } from './name-model.ts';
import { firstEventAbout, lastEventAbout } from './reads.ts';

type About = Pick<Row<'Event'>, 'subjectType' | 'subjectId' | 'changes'>;

const fieldsIn = ({ changes }: Pick<About, 'changes'>) => recordedFields(JSON.parse(changes));

/**
 * The name of the object of an event that the actor may see: as it is now or, if it was deleted, as the record has it. Null for
 * types without names.
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

/**
 * Whoever may read the record of a whole team learns who is named in it, also of people who have left the team. Users are never
 * deleted.
 */
async function userNameOf(context: Context, id: number): Promise<string | null> {
  const user = await (context.actor.isPartial ? visibleUserById : userById)(context, id);
  return user?.enterpriseId === context.actor.enterpriseId ? user.nickName : null;
}

/** The name of the user or service account that made a change. Null for what Trellis and deploy hooks do. */
export async function actorNameOf(
  context: Context,
  { userId, serviceAccountId }: Pick<Row<'Event'>, 'userId' | 'serviceAccountId'>,
): Promise<string | null> {
  if (userId !== null) return userNameOf(context, userId);
  if (serviceAccountId === null) return null;
  return objectNameOf(context, { subjectType: 'ServiceAccount', subjectId: serviceAccountId, changes: '{}' });
}
