import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Database, Transaction } from '../../db/open.ts';
import type { Field, Part, Row } from '../../db/tables.ts';
import { type Actor, allowsOwn } from '../../kernel/access.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { namedBy } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { activeUsers, actorFor, ownerIn, ownerStatement } from '../access-token/owner-reads.ts';
import { mayReadPrivate, visibleUserById } from '../user/reads.ts';
import { expiryOf, type SessionSettings } from './model.ts';

/** The columns that requests need. The others stay in the database. */
const needed = [
  'id',
  'userId',
  'createdAt',
  'lastUsedAt',
  'expiresAt',
  'address',
  'recheckAt',
] as const satisfies Field<'Session'>[];

/** An accepted session: its actor, its row, and the recorded IP address of the user's last request. */
export interface AcceptedSession {
  actor: Actor;
  row: Part<'Session', (typeof needed)[number]>;
  clientIp: string;
}

export async function acceptedSessions(
  db: Database,
  ids: readonly string[],
  settings: SessionSettings,
): Promise<(AcceptedSession | undefined)[]> {
  const now = new Date();
  const rows = await db.session.findManyByKeys({ by: 'id', keys: ids, fields: needed });
  const valid = new Map(
    rows
      .map((row) => ({ ...row, ...(settings.recheckMs === 0 && { recheckAt: null }) }))
      // The settings can have changed since the last use.
      .filter((row) => row.expiresAt > now && expiryOf(row.createdAt, row.lastUsedAt, settings) > now)
      .map((row) => [row.id, row]),
  );
  if (valid.size === 0) return ids.map(() => undefined);
  const users = await activeUsers(
    db,
    [...valid.values()].map(({ userId }) => userId),
  );
  return ids.map((id) => {
    const row = valid.get(id);
    const user = row && users.get(row.userId);
    if (!row || !user) return undefined;
    return { actor: actorFor(user, credentialOf(id)), row, clientIp: user.clientIp };
  });
}

/** Re-reads the actor of a session inside a transaction. Undefined if the session has ended. */
export async function sessionActorWithin(
  db: Database,
  tx: Transaction,
  sessionId: string,
): Promise<Actor | undefined> {
  const [row] = await tx.$read(actorStatement(db), [sessionId]);
  if (!row) return undefined;
  const { owner, values } = ownerIn(db, row);
  if (!owner || (db.dialect.decode(values[0], 'DateTime') as Date) <= new Date()) return undefined;
  return actorFor(owner, credentialOf(sessionId));
}

const credentialOf = (sessionId: string) => ({ tokenId: null, sessionId, isReadOnly: false });

const actorStatement = memoizeByIdentity((db: Database) => ownerStatement(db, 'Session', ['expiresAt']));

const sessionById = batchedRow('Session', 'id');

/** The session, if it has not ended and belongs to the actor or to a user that the actor administers. */
export async function visibleSession(context: Context, id: string): Promise<Row<'Session'> | null> {
  const session = await sessionById(context, id);
  if (session && session.id === context.actor.sessionId && session.expiresAt > new Date()) return session;
  const user = await visibleUserById(context, session?.userId ?? 0);
  const isVisible = session && session.expiresAt > new Date() && user && mayReadPrivate(context, user);
  return isVisible ? session : null;
}

export const requireSession = namedBy('session', 'Session', 'sessionId', visibleSession);

/** The sessions of the caller that it may read, oldest first. */
export function ownSessions({ actor }: Context): List<'Session'> {
  const { key, spec } = sessions(actor.userId ?? 0);
  if (allowsOwn(actor, 'read')) return { key, spec };
  return { key, spec: { ...spec, where: [{ field: 'id', is: actor.sessionId ?? '' }] } };
}

/** The sessions of a user that have not ended, oldest first. FORBIDDEN for callers other than the user and administrators. */
export function sessionsOf(
  context: Context,
  user: Pick<Row<'User'>, 'id' | 'enterpriseId'>,
): List<'Session'> {
  if (!mayReadPrivate(context, user)) {
    throw new ForbiddenError('Only the user and enterprise administrators can list the sessions.');
  }
  return sessions(user.id);
}

const sessions = (userId: number): List<'Session'> => ({
  key: userId,
  spec: {
    model: 'Session',
    parent: { field: 'userId' },
    order: ['createdAt', 'id'],
    where: [{ field: 'expiresAt', from: new Date() }],
  },
});
