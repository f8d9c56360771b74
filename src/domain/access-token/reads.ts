import { hash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Database, Transaction } from '../../db/open.ts';
import { type OpenField, openFields, type Part, type Row } from '../../db/tables.ts';
import { type Actor, allows, allowsOwn } from '../../kernel/access.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { namedBy } from '../../kernel/global-id.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { serviceAccountById } from '../service-account/reads.ts';
import { mayReadPrivate, visibleUserById } from '../user/reads.ts';
import { parseGrants } from './grant-reads.ts';
import { shortLifeMs } from './model.ts';
import { activeUsers, actorFor, ownerIn, ownerStatement, serviceAccounts } from './owner-reads.ts';

/** Tokens are long and random, so a plain hash is safe and can be looked up. */
export const hashToken = (token: string) => hash('sha256', token, 'hex');

/** The token in an `Authorization` header: `Bearer <token>` or, if `bare`, also the token alone. */
export function tokenOf(header: string | null | undefined, bare = false): string | undefined {
  const match = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '');
  if (match) return match[1];
  return bare && header && /^[\x21-\x7e]+$/.test(header) ? header : undefined;
}

/** The columns of a token without its hash. */
const visibleFields = openFields('AccessToken');

/** An accepted token: its actor, its row, and the recorded IP address of its user's last request. */
export interface Accepted {
  actor: Actor;
  row: Row<'AccessToken'>;
  clientIp: string;
}

/** Whether a token was exchanged, or made to end within a day. */
const isShortLived = ({
  trustId,
  expiresAt,
  createdAt,
}: Pick<Row<'AccessToken'>, 'trustId' | 'expiresAt' | 'createdAt'>): boolean =>
  trustId !== null || (expiresAt !== null && expiresAt.getTime() - createdAt.getTime() <= shortLifeMs);

/** The actor of a token, with the token's row. Undefined if the token is not accepted. */
export const actorOf = async (db: Database, token: string): Promise<Accepted | undefined> =>
  (await acceptedByHash(db, [hashToken(token)]))[0];

export async function acceptedByHash(
  db: Database,
  hashes: readonly string[],
): Promise<(Accepted | undefined)[]> {
  const rows = await db.accessToken.findManyByKeys({
    by: 'hash',
    keys: hashes,
    fields: [...visibleFields, 'hash'],
  });
  const now = new Date();
  const valid = rows.filter(({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && expiresAt <= now));
  if (valid.length === 0) return hashes.map(() => undefined);
  const [users, accounts] = await Promise.all([
    activeUsers(
      db,
      valid.flatMap(({ userId }) => userId ?? []),
    ),
    serviceAccounts(
      db,
      valid.flatMap(({ serviceAccountId }) => serviceAccountId ?? []),
    ),
  ]);
  const tokenOf = new Map(valid.map((row) => [row.hash, row]));
  return hashes.map((hash) => {
    const row = tokenOf.get(hash);
    if (!row) return undefined;
    const user = row.userId === null ? undefined : users.get(row.userId);
    const owner = user ?? accounts.get(row.serviceAccountId ?? '');
    if (!owner) return undefined;
    const credential = { tokenId: row.id, sessionId: null, isReadOnly: row.isReadOnly };
    return {
      actor: actorFor(owner, credential, parseGrants(row.grants), isShortLived(row)),
      row,
      clientIp: user?.clientIp ?? '',
    };
  });
}

/** Re-reads the actor of a token inside a transaction. Undefined if the token is no longer accepted. */
export async function actorWithin(
  db: Database,
  tx: Transaction,
  tokenId: string,
): Promise<Actor | undefined> {
  const [row] = await tx.$read(actorStatement(db), [tokenId]);
  if (!row) return undefined;
  const { owner, values } = ownerIn(db, row);
  const [isReadOnly, revokedAt, expiresAt, grants, createdAt, trustId] = values;
  if (!owner || revokedAt !== null) return undefined;
  const expiry = db.dialect.decode(expiresAt, 'DateTime') as Date | null;
  if (expiry && expiry <= new Date()) return undefined;
  const credential = {
    tokenId,
    sessionId: null,
    isReadOnly: db.dialect.decode(isReadOnly, 'Boolean') as boolean,
  };
  const token = {
    trustId: trustId as string | null,
    expiresAt: expiry,
    createdAt: db.dialect.decode(createdAt, 'DateTime') as Date,
  };
  return actorFor(owner, credential, parseGrants(grants as string | null), isShortLived(token));
}

const actorStatement = memoizeByIdentity((db: Database) =>
  ownerStatement(db, 'AccessToken', [
    'isReadOnly',
    'revokedAt',
    'expiresAt',
    'grants',
    'createdAt',
    'trustId',
  ]),
);

/** A token without its hash. */
export type AccessTokenRow = Part<'AccessToken', OpenField<'AccessToken'>>;
const accessTokenById = batchedRow('AccessToken', 'id', visibleFields);

/**
 * The token of the request and, for those who may read them, others of its user, and those of service accounts of teams
 * whose administrators they are.
 */
export async function visibleAccessToken(context: Context, id: string): Promise<AccessTokenRow | null> {
  const token = await accessTokenById(context, id);
  if (token?.id === context.actor.tokenId) return token;
  // Always reads both: a hidden token takes as many statements as a missing one.
  const account = await serviceAccountById(context, token?.serviceAccountId ?? '');
  const user = await visibleUserById(context, token?.userId ?? 0);
  const isVisible = token?.userId == null ? mayReadTokens(context, account) : mayReadPrivate(context, user);
  return isVisible ? token : null;
}

export const requireAccessToken = namedBy('access token', 'AccessToken', 'tokenId', visibleAccessToken);

const tokens = (parent: 'userId' | 'serviceAccountId', key: number | string): List<'AccessToken'> => ({
  key,
  spec: { model: 'AccessToken', parent: { field: parent }, order: ['createdAt', 'id'] },
});

/** The tokens of the caller that it may read, oldest first: at least that of the request. */
export function ownAccessTokens({ actor }: Context): List<'AccessToken'> {
  const { userId, serviceAccountId, tokenId } = actor;
  const { key, spec } =
    userId === null ? tokens('serviceAccountId', serviceAccountId!) : tokens('userId', userId);
  return {
    key,
    spec: allowsOwn(actor, 'read') ? spec : { ...spec, where: [{ field: 'id', is: tokenId }] },
  };
}

/** The tokens of a user, oldest first. FORBIDDEN for callers other than the user and administrators. */
export function accessTokensOf(
  context: Context,
  user: Pick<Row<'User'>, 'id' | 'enterpriseId'>,
): List<'AccessToken'> {
  if (!mayReadPrivate(context, user)) {
    throw new ForbiddenError('Only the user and enterprise administrators can list the access tokens.');
  }
  return tokens('userId', user.id);
}

/** Whether the actor may read the access tokens of a service account. */
const mayReadTokens = (
  { actor }: Pick<Context, 'actor'>,
  account: Pick<Row<'ServiceAccount'>, 'enterpriseId' | 'teamId'> | null,
): boolean => account !== null && allows(actor, 'createAccessToken', account);

/** The tokens of a service account, oldest first. FORBIDDEN for callers who may not create any. */
export function accessTokensOfAccount(
  context: Context,
  account: Pick<Row<'ServiceAccount'>, 'id' | 'enterpriseId' | 'teamId'>,
): List<'AccessToken'> {
  if (!mayReadTokens(context, account)) {
    throw new ForbiddenError(
      'Listing the access tokens of a service account requires the admin role in its team.',
    );
  }
  return tokens('serviceAccountId', account.id);
}
