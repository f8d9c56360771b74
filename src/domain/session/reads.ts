import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Database, Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Actor } from '../../kernel/access.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { activeUsers, actorStatementOf, rolesIn } from '../access-token/reads.ts';
import { mayReadPrivate, visibleUserById } from '../user/reads.ts';
import type { SessionRef } from './model.ts';

/** An accepted session: its actor, its row, and the recorded IP address of the user's last request. */
export interface AcceptedSession {
  actor: Actor;
  row: Row<'Session'>;
  clientIp: string;
}

/** The accepted sessions by the hashes of their cookies. */
export async function acceptedSessions(
  db: Database,
  ids: readonly string[],
): Promise<(AcceptedSession | undefined)[]> {
  const now = new Date();
  const rows = await db.session.findManyByKeys({ by: 'id', keys: ids });
  const valid = new Map(rows.filter(({ expiresAt }) => expiresAt > now).map((row) => [row.id, row]));
  if (valid.size === 0) return ids.map(() => undefined);
  const users = await activeUsers(
    db,
    [...valid.values()].map(({ userId }) => userId),
  );
  return ids.map((id) => {
    const row = valid.get(id);
    const user = row && users.get(row.userId);
    if (!row || !user) return undefined;
    const actor: Actor = { ...user.rights, tokenId: null, sessionId: id, isReadOnly: false };
    return { actor, row, clientIp: user.clientIp };
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
  const [userId, enterpriseId, isActive, isAdministrator, memberships, expiresAt] = row;
  const flag = (value: unknown) => db.dialect.decode(value, 'Boolean') as boolean;
  if (!flag(isActive) || (db.dialect.decode(expiresAt, 'DateTime') as Date) <= new Date()) return undefined;
  return {
    userId: userId as number,
    tokenId: null,
    sessionId,
    enterpriseId: enterpriseId as string,
    isAdministrator: flag(isAdministrator),
    isReadOnly: false,
    roles: rolesIn(memberships),
  };
}

const actorStatement = memoizeByIdentity((db: Database) => actorStatementOf(db, 'Session', ['expiresAt']));

const sessionById = batchedRow('Session', 'id');

/** The session, if it has not ended and belongs to the actor or to a user that the actor administers. */
export async function visibleSession(context: Context, id: string): Promise<Row<'Session'> | null> {
  const session = await sessionById(context, id);
  if (!session || session.expiresAt <= new Date()) return null;
  if (session.userId === context.actor.userId) return session;
  const user = await visibleUserById(context, session.userId);
  return user && mayReadPrivate(context, user) ? session : null;
}

export async function requireSession(context: Context, ref: SessionRef): Promise<Row<'Session'>> {
  const id = ref.sessionId ?? idOfType('Session', ref.id ?? '');
  const session = id === undefined ? null : await visibleSession(context, id);
  if (!session) throw new NotFoundError('session');
  return session;
}

/** The sessions of a user that have not ended, oldest first. FORBIDDEN for callers other than the user and administrators. */
export function sessionsOf(
  context: Context,
  user: Pick<Row<'User'>, 'id' | 'enterpriseId'>,
): List<'Session'> {
  if (!mayReadPrivate(context, user)) {
    throw new ForbiddenError('Only the user and enterprise administrators may list the sessions.');
  }
  return {
    key: user.id,
    spec: {
      model: 'Session',
      parent: { field: 'userId' },
      order: ['createdAt', 'id'],
      where: [{ field: 'expiresAt', from: new Date() }],
    },
  };
}
