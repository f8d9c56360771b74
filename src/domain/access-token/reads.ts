import { hash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Database, Transaction } from '../../db/open.ts';
import { columnOf, type Field, type Model, type Row, tableOf } from '../../db/tables.ts';
import type { Actor, Role } from '../../kernel/access.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { mayReadPrivate, visibleUserById } from '../user/reads.ts';
import type { AccessTokenRef } from './model.ts';

/** Tokens are long and random, so a plain hash is safe and can be looked up. */
export const hashToken = (token: string) => hash('sha256', token, 'hex');

/** The token in an `Authorization` header: `Bearer <token>` or, if `bare`, also the token alone. */
export function tokenOf(header: string | null | undefined, bare = false): string | undefined {
  const match = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '');
  if (match) return match[1];
  return bare && header && /^[\x21-\x7e]+$/.test(header) ? header : undefined;
}

/** The columns of a token without its hash. */
const shown: Field<'AccessToken'>[] = [
  'id',
  'userId',
  'name',
  'isReadOnly',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
  'createdAt',
];

/** An accepted token: its actor, its row, and the recorded IP address of the user's last request. */
export interface Accepted {
  actor: Actor;
  row: Row<'AccessToken'>;
  clientIp: string;
}

/** The actor of a token, with the token's row. Undefined if the token is not accepted. */
export const actorOf = async (db: Database, token: string): Promise<Accepted | undefined> =>
  (await acceptedByHash(db, [hashToken(token)]))[0];

/** The accepted tokens by their hashes. */
export async function acceptedByHash(
  db: Database,
  hashes: readonly string[],
): Promise<(Accepted | undefined)[]> {
  const rows = await db.accessToken.findManyByKeys({ by: 'hash', keys: hashes, fields: [...shown, 'hash'] });
  const now = new Date();
  const valid = rows.filter(({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && expiresAt <= now));
  if (valid.length === 0) return hashes.map(() => undefined);
  const users = await activeUsers(
    db,
    valid.map(({ userId }) => userId),
  );
  const tokenOf = new Map(valid.map((row) => [row.hash, row]));
  return hashes.map((hash) => {
    const row = tokenOf.get(hash);
    const user = row && users.get(row.userId);
    if (!row || !user) return undefined;
    const { clientIp, rights } = user;
    const actor: Actor = { ...rights, tokenId: row.id, sessionId: null, isReadOnly: row.isReadOnly };
    return { actor, row, clientIp };
  });
}

/** The rights of the users who are active, and the recorded IP address of their last request. */
export async function activeUsers(db: Database, ids: readonly number[]) {
  const keys = [...new Set(ids)];
  const [users, memberships] = await Promise.all([
    db.user.findManyByKeys({
      by: 'id',
      keys,
      fields: ['id', 'enterpriseId', 'isActive', 'isAdministrator', 'clientIp'],
    }),
    db.membership.findManyByKeys({ by: 'userId', keys, fields: ['userId', 'teamId', 'role'] }),
  ]);
  const rolesOf = groupBy(memberships, ({ userId }) => userId);
  const active = users.filter(({ isActive }) => isActive);
  return new Map(
    active.map(({ id, enterpriseId, isAdministrator, clientIp }) => {
      const roles = new Map((rolesOf.get(id) ?? []).map(({ teamId, role }) => [teamId, role as Role]));
      return [id, { clientIp, rights: { userId: id, enterpriseId, isAdministrator, roles } }];
    }),
  );
}

/** Re-reads the actor of a token inside a transaction. Null if the token is no longer accepted. */
export async function actorWithin(
  db: Database,
  tx: Transaction,
  tokenId: string,
): Promise<Actor | undefined> {
  const [row] = await tx.$read(actorStatement(db), [tokenId]);
  if (!row) return undefined;
  const flag = (value: unknown) => db.dialect.decode(value, 'Boolean') as boolean;
  const time = (value: unknown) => db.dialect.decode(value, 'DateTime') as Date | null;
  const [userId, enterpriseId, isActive, isAdministrator, memberships, isReadOnly, revokedAt, expiresAt] =
    row;
  if (revokedAt !== null || !flag(isActive)) return undefined;
  if (expiresAt !== null && time(expiresAt)! <= new Date()) return undefined;
  return {
    userId: userId as number,
    tokenId,
    sessionId: null,
    enterpriseId: enterpriseId as string,
    isAdministrator: flag(isAdministrator),
    isReadOnly: flag(isReadOnly),
    roles: rolesIn(memberships),
  };
}

/** The roles in the memberships of `actorStatementOf`. */
export function rolesIn(memberships: unknown): Map<string, Role> {
  const pairs = memberships === null ? [] : (memberships as string).split(',');
  return new Map(pairs.map((pair) => pair.split(' ') as [string, Role]));
}

/**
 * The statement that reads a user's rights by what authenticates the request, with the columns of both: the id, enterprise,
 * flags and memberships of the user first. The memberships are one text of pairs: users can be in many teams, and rows cost
 * more than their values.
 */
export function actorStatementOf<M extends 'AccessToken' | 'Session'>(
  { dialect }: Database,
  model: M,
  fields: readonly Field<M>[],
): string {
  const column = (model: Model, field: string, alias: string) =>
    `${alias}."${columnOf(model, field).column}"`;
  const pair = `${column('Membership', 'teamId', 'm')} || ' ' || ${column('Membership', 'role', 'm')}`;
  const columns = [
    ...['id', 'enterpriseId', 'isActive', 'isAdministrator'].map((field) => column('User', field, 'u')),
    `(SELECT string_agg(${pair}, ',')
      FROM "${tableOf('Membership').table}" m WHERE ${column('Membership', 'userId', 'm')} = ${column('User', 'id', 'u')})`,
    ...fields.map((field) => column(model, field, 't')),
  ];
  return `SELECT ${columns.join(', ')}
    FROM "${tableOf(model).table}" t
    JOIN "${tableOf('User').table}" u ON ${column('User', 'id', 'u')} = ${column(model, 'userId', 't')}
    WHERE ${column(model, 'id', 't')} = ${dialect.placeholder(1)}`;
}

const actorStatement = memoizeByIdentity((db: Database) =>
  actorStatementOf(db, 'AccessToken', ['isReadOnly', 'revokedAt', 'expiresAt']),
);

const accessTokenById = batchedRow('AccessToken', 'id', shown);

/** The token, if it belongs to the actor or to a user that the actor administers. */
export async function visibleAccessToken(context: Context, id: string): Promise<Row<'AccessToken'> | null> {
  const token = await accessTokenById(context, id);
  if (!token || token.userId === context.actor.userId) return token;
  const user = await visibleUserById(context, token.userId);
  return user && mayReadPrivate(context, user) ? token : null;
}

export async function requireAccessToken(context: Context, ref: AccessTokenRef): Promise<Row<'AccessToken'>> {
  const id = ref.tokenId ?? idOfType('AccessToken', ref.id ?? '');
  const token = id === undefined ? null : await visibleAccessToken(context, id);
  if (!token) throw new NotFoundError('access token');
  return token;
}

/** The tokens of a user, oldest first. FORBIDDEN for callers other than the user and administrators. */
export function accessTokensOf(
  context: Context,
  user: Pick<Row<'User'>, 'id' | 'enterpriseId'>,
): List<'AccessToken'> {
  if (!mayReadPrivate(context, user)) {
    throw new ForbiddenError('Only the user and enterprise administrators may list the access tokens.');
  }
  return {
    key: user.id,
    spec: { model: 'AccessToken', parent: { field: 'userId' }, order: ['createdAt', 'id'] },
  };
}
