import { hash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Database, Transaction } from '../../db/open.ts';
import { columnOf, type Field, type Model, type Part, type Row, tableOf } from '../../db/tables.ts';
import { type Actor, allows, allowsOwn, rightsOf, type TeamRights } from '../../kernel/access.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { teamRights } from '../role/reads.ts';
import { serviceAccountById } from '../service-account/reads.ts';
import { mayReadPrivate, visibleUserById } from '../user/reads.ts';
import { parseGrants } from './grant-reads.ts';
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
const shown = [
  'id',
  'userId',
  'serviceAccountId',
  'name',
  'grants',
  'trustId',
  'isReadOnly',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
  'createdAt',
] as const satisfies Field<'AccessToken'>[];

/** An accepted token: its actor, its row, and the recorded IP address of its user's last request. */
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
  const ownerOf = await ownersOf(db, valid);
  const tokenOf = new Map(valid.map((row) => [row.hash, row]));
  return hashes.map((hash) => {
    const row = tokenOf.get(hash);
    const owner = row && ownerOf(row);
    if (!row || !owner) return undefined;
    const actor = actorFor(owner, { tokenId: row.id, isReadOnly: row.isReadOnly, grants: row.grants });
    return { actor, row, clientIp: owner.clientIp };
  });
}

/** Whom a token belongs to, with the rights that it has now. */
interface Owner extends Pick<Actor, 'userId' | 'serviceAccountId' | 'enterpriseId'> {
  isAdministrator: boolean;
  teams: readonly TeamRights[];
}

const actorFor = (
  { isAdministrator, teams, userId, serviceAccountId, enterpriseId }: Owner,
  { grants, ...token }: Pick<Actor, 'tokenId' | 'isReadOnly'> & { grants: string | null },
): Actor => ({
  userId,
  serviceAccountId,
  enterpriseId,
  ...token,
  ...rightsOf({ isAdministrator, teams }, parseGrants(grants)),
});

/** The active owners of tokens. */
async function ownersOf(
  db: Database,
  tokens: readonly Pick<Row<'AccessToken'>, 'userId' | 'serviceAccountId'>[],
): Promise<(token: (typeof tokens)[number]) => (Owner & { clientIp: string }) | undefined> {
  const userIds = [...new Set(tokens.flatMap(({ userId }) => userId ?? []))];
  const accountIds = [...new Set(tokens.flatMap(({ serviceAccountId }) => serviceAccountId ?? []))];
  const [users, memberships, accounts] = await Promise.all([
    userIds.length === 0
      ? []
      : db.user.findManyByKeys({
          by: 'id',
          keys: userIds,
          fields: ['id', 'enterpriseId', 'isActive', 'isAdministrator', 'clientIp'],
        }),
    userIds.length === 0
      ? []
      : db.membership.findManyByKeys({
          by: 'userId',
          keys: userIds,
          fields: ['userId', 'teamId', 'role', 'roleId', 'applications'],
        }),
    accountIds.length === 0
      ? []
      : db.serviceAccount.findManyByKeys({
          by: 'id',
          keys: accountIds,
          fields: ['id', 'enterpriseId', 'teamId', 'role'],
        }),
  ]);
  const roleIds = [...new Set(memberships.flatMap(({ roleId }) => roleId ?? []))];
  const customRoles =
    roleIds.length === 0
      ? []
      : await db.role.findManyByKeys({ by: 'id', keys: roleIds, fields: ['id', 'actions'] });
  const actionsOf = new Map(customRoles.map(({ id, actions }) => [id, actions]));
  const teamsOf = groupBy(memberships, ({ userId }) => userId);
  const userOf = new Map(users.map((user) => [user.id, user]));
  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  return ({ userId, serviceAccountId }) => {
    if (userId === null) {
      const account = accountOf.get(serviceAccountId ?? '');
      if (!account) return undefined;
      const { id, enterpriseId, teamId, role } = account;
      return {
        userId: null,
        serviceAccountId: id,
        enterpriseId,
        isAdministrator: false,
        teams: [teamRights({ teamId, role })],
        clientIp: '',
      };
    }
    const user = userOf.get(userId);
    if (!user?.isActive) return undefined;
    const { enterpriseId, isAdministrator, clientIp } = user;
    const teams = (teamsOf.get(userId) ?? []).map(({ roleId, ...membership }) =>
      teamRights({ ...membership, customActions: roleId === null ? null : (actionsOf.get(roleId) ?? '[]') }),
    );
    return { userId, serviceAccountId: null, enterpriseId, isAdministrator, teams, clientIp };
  };
}

/** Re-reads the actor of a token inside a transaction. Undefined if the token is no longer accepted. */
export async function actorWithin(
  db: Database,
  tx: Transaction,
  tokenId: string,
): Promise<Actor | undefined> {
  const [row] = await tx.$read(actorStatement(db), [tokenId]);
  if (!row) return undefined;
  const flag = (value: unknown) => db.dialect.decode(value, 'Boolean') as boolean;
  const time = (value: unknown) => db.dialect.decode(value, 'DateTime') as Date | null;
  const [userId, enterpriseId, isActive, isAdministrator] = row;
  const [accountId, accountEnterpriseId, accountTeamId, accountRole] = row.slice(4);
  const [isReadOnly, revokedAt, expiresAt, grants, memberships] = row.slice(8);
  if (revokedAt !== null) return undefined;
  if (expiresAt !== null && time(expiresAt)! <= new Date()) return undefined;
  const token = { tokenId, isReadOnly: flag(isReadOnly), grants: grants as string | null };
  if (accountId !== null) {
    const owner = {
      userId: null,
      serviceAccountId: accountId as string,
      enterpriseId: accountEnterpriseId as string,
      isAdministrator: false,
      teams: [teamRights({ teamId: accountTeamId as string, role: accountRole as string })],
    };
    return actorFor(owner, token);
  }
  if (userId === null || !flag(isActive)) return undefined;
  const owner = {
    userId: userId as number,
    serviceAccountId: null,
    enterpriseId: enterpriseId as string,
    isAdministrator: flag(isAdministrator),
    teams: memberships === null ? [] : (memberships as string).split(';').map(membershipIn),
  };
  return actorFor(owner, token);
}

/** A membership as `actorStatement` writes it. Ids, roles and JSON arrays of names and numbers have no spaces. */
function membershipIn(text: string): TeamRights {
  const [teamId, role, applications, customActions] = text.split(' ') as [string, string, string, string];
  return teamRights({
    teamId,
    role,
    applications: applications === '-' ? null : applications,
    customActions: customActions === '-' ? null : customActions,
  });
}

/** The memberships are one text: users can be in many teams, and rows cost more than their values. */
const actorStatement = memoizeByIdentity(({ dialect }: Database) => {
  const column = (model: Model, field: string, alias: string) =>
    `${alias}."${columnOf(model, field).column}"`;
  const table = (model: Model, alias: string) => `"${tableOf(model).table}" ${alias}`;
  const columns = [
    ...['id', 'enterpriseId', 'isActive', 'isAdministrator'].map((field) => column('User', field, 'u')),
    ...['id', 'enterpriseId', 'teamId', 'role'].map((field) => column('ServiceAccount', field, 's')),
    ...['isReadOnly', 'revokedAt', 'expiresAt', 'grants'].map((field) => column('AccessToken', field, 't')),
  ];
  const membership = [
    column('Membership', 'teamId', 'm'),
    column('Membership', 'role', 'm'),
    `COALESCE(${column('Membership', 'applications', 'm')}, '-')`,
    `COALESCE(${column('Role', 'actions', 'r')}, '-')`,
  ].join(` || ' ' || `);
  return `SELECT ${columns.join(', ')}, (SELECT string_agg(${membership}, ';')
      FROM ${table('Membership', 'm')} LEFT JOIN ${table('Role', 'r')} ON ${column('Role', 'id', 'r')} = ${column('Membership', 'roleId', 'm')}
      WHERE ${column('Membership', 'userId', 'm')} = ${column('User', 'id', 'u')})
    FROM ${table('AccessToken', 't')}
    LEFT JOIN ${table('User', 'u')} ON ${column('User', 'id', 'u')} = ${column('AccessToken', 'userId', 't')}
    LEFT JOIN ${table('ServiceAccount', 's')} ON ${column('ServiceAccount', 'id', 's')} = ${column('AccessToken', 'serviceAccountId', 't')}
    WHERE ${column('AccessToken', 'id', 't')} = ${dialect.placeholder(1)}`;
});

/** A token without its hash. */
export type AccessTokenRow = Part<'AccessToken', (typeof shown)[number]>;
const accessTokenById = batchedRow('AccessToken', 'id', shown);

/**
 * The token of the request and, for those who may read them, others of its user, and those of service accounts of teams
 * whose administrators they are.
 */
export async function visibleAccessToken(context: Context, id: string): Promise<AccessTokenRow | null> {
  const token = await accessTokenById(context, id);
  if (!token || token.id === context.actor.tokenId) return token;
  const isVisible =
    token.userId === null
      ? mayReadTokens(context, await serviceAccountById(context, token.serviceAccountId!))
      : mayReadPrivate(context, await visibleUserById(context, token.userId));
  return isVisible ? token : null;
}

export async function requireAccessToken(context: Context, ref: AccessTokenRef): Promise<AccessTokenRow> {
  const id = ref.tokenId ?? idOfType('AccessToken', ref.id ?? '');
  const token = id === undefined ? null : await visibleAccessToken(context, id);
  if (!token) throw new NotFoundError('access token');
  return token;
}

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
    throw new ForbiddenError('Only the user and enterprise administrators may list the access tokens.');
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
