import type { Database } from '../../db/open.ts';
import { columnOf, type Field, type Model, tableOf } from '../../db/tables.ts';
import type { Actor, Grant } from '../../kernel/access.ts';
import { groupBy } from '../../kernel/group.ts';
import { rightsOf, type TeamRights } from '../../kernel/rights.ts';
import { teamRights } from '../role/reads.ts';

/** A user or a service account, with the rights that it has now. */
export interface Owner extends Pick<Actor, 'userId' | 'serviceAccountId' | 'enterpriseId'> {
  isAdministrator: boolean;
  teams: readonly TeamRights[];
}

/** The actor of a request that an access token or a session of the owner authenticates. */
export const actorFor = (
  { isAdministrator, teams, userId, serviceAccountId, enterpriseId }: Owner,
  credential: Pick<Actor, 'tokenId' | 'sessionId' | 'isReadOnly'>,
  grants: readonly Grant[] | null = null,
  isShortLived = false,
): Actor => ({
  userId,
  serviceAccountId,
  enterpriseId,
  ...credential,
  ...rightsOf({ isAdministrator, teams }, grants, isShortLived),
});

/** The users who are active, and the recorded IP address of their last request. */
export async function activeUsers(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, Owner & { clientIp: string }>> {
  const keys = [...new Set(ids)];
  if (keys.length === 0) return new Map();
  const [users, memberships] = await Promise.all([
    db.user.findManyByKeys({
      by: 'id',
      keys,
      fields: ['id', 'enterpriseId', 'isActive', 'isAdministrator', 'clientIp'],
    }),
    db.membership.findManyByKeys({
      by: 'userId',
      keys,
      fields: ['userId', 'teamId', 'role', 'roleId', 'applications'],
    }),
  ]);
  const actionsOf = await customActions(
    db,
    memberships.flatMap(({ roleId }) => roleId ?? []),
  );
  const membershipsOf = groupBy(memberships, ({ userId }) => userId);
  const active = users.filter(({ isActive }) => isActive);
  return new Map(
    active.map(({ id, enterpriseId, isAdministrator, clientIp }) => {
      const teams = (membershipsOf.get(id) ?? []).map(({ roleId, ...membership }) =>
        teamRights({
          ...membership,
          customActions: roleId === null ? null : (actionsOf.get(roleId) ?? '[]'),
        }),
      );
      return [id, { userId: id, serviceAccountId: null, enterpriseId, isAdministrator, teams, clientIp }];
    }),
  );
}

/** The actions of roles of enterprises, as JSON. */
async function customActions(db: Database, roleIds: readonly string[]): Promise<Map<string, string>> {
  const keys = [...new Set(roleIds)];
  if (keys.length === 0) return new Map();
  const roles = await db.role.findManyByKeys({ by: 'id', keys, fields: ['id', 'actions'] });
  return new Map(roles.map(({ id, actions }) => [id, actions]));
}

export async function serviceAccounts(db: Database, ids: readonly string[]): Promise<Map<string, Owner>> {
  const keys = [...new Set(ids)];
  if (keys.length === 0) return new Map();
  const fields = ['id', 'enterpriseId', 'teamId', 'role'] as const;
  const accounts = await db.serviceAccount.findManyByKeys({ by: 'id', keys, fields });
  return new Map(accounts.map((account) => [account.id, accountOwner(account)]));
}

const accountOwner = ({
  id,
  enterpriseId,
  teamId,
  role,
}: {
  id: string;
  enterpriseId: string;
  teamId: string;
  role: string;
}): Owner => ({
  userId: null,
  serviceAccountId: id,
  enterpriseId,
  isAdministrator: false,
  teams: [teamRights({ teamId, role })],
});

/**
 * The statement that reads the owner of what authenticates a request, by its id: the columns of `ownerIn`, then those of the
 * fields. The memberships are one text: users can be in many teams, and rows cost more than their values.
 */
export function ownerStatement<M extends 'AccessToken' | 'Session'>(
  { dialect }: Database,
  model: M,
  fields: readonly Field<M>[],
): string {
  const column = (of: Model, field: string, alias: string) => `${alias}."${columnOf(of, field).column}"`;
  const table = (of: Model, alias: string) => `"${tableOf(of).table}" ${alias}`;
  const membership = [
    column('Membership', 'teamId', 'm'),
    column('Membership', 'role', 'm'),
    `COALESCE(${column('Membership', 'applications', 'm')}, '-')`,
    `COALESCE(${column('Role', 'actions', 'r')}, '-')`,
  ].join(` || ' ' || `);
  const memberships = `(SELECT string_agg(${membership}, ';') FROM ${table('Membership', 'm')}
      LEFT JOIN ${table('Role', 'r')} ON ${column('Role', 'id', 'r')} = ${column('Membership', 'roleId', 'm')}
      WHERE ${column('Membership', 'userId', 'm')} = ${column('User', 'id', 'u')})`;
  const ofAccounts = model === 'AccessToken';
  const columns = [
    ...['id', 'enterpriseId', 'isActive', 'isAdministrator'].map((field) => column('User', field, 'u')),
    memberships,
    ...['id', 'enterpriseId', 'teamId', 'role'].map((field) =>
      ofAccounts ? column('ServiceAccount', field, 's') : 'NULL',
    ),
    ...fields.map((field) => column(model, field, 't')),
  ];
  const accounts = ofAccounts
    ? `LEFT JOIN ${table('ServiceAccount', 's')} ON ${column('ServiceAccount', 'id', 's')} = ${column(model, 'serviceAccountId', 't')}`
    : '';
  return `SELECT ${columns.join(', ')} FROM ${table(model, 't')}
    LEFT JOIN ${table('User', 'u')} ON ${column('User', 'id', 'u')} = ${column(model, 'userId', 't')} ${accounts}
    WHERE ${column(model, 'id', 't')} = ${dialect.placeholder(1)}`;
}

/** The number of columns that `ownerIn` reads. */
const ownerColumns = 9;

/** The owner in a row of `ownerStatement`, unless not active, and the values of the fields. */
export function ownerIn(
  { dialect }: Database,
  row: readonly unknown[],
): { owner?: Owner; values: unknown[] } {
  const values = row.slice(ownerColumns);
  const [userId, enterpriseId, isActive, isAdministrator, memberships] = row;
  const [accountId, accountEnterpriseId, teamId, role] = row.slice(5, ownerColumns) as string[];
  if (accountId) {
    const account = { id: accountId, enterpriseId: accountEnterpriseId!, teamId: teamId!, role: role! };
    return { owner: accountOwner(account), values };
  }
  const flag = (value: unknown) => dialect.decode(value, 'Boolean') as boolean;
  if (userId === null || !flag(isActive)) return { values };
  const owner = {
    userId: userId as number,
    serviceAccountId: null,
    enterpriseId: enterpriseId as string,
    isAdministrator: flag(isAdministrator),
    teams: memberships === null ? [] : (memberships as string).split(';').map(membershipIn),
  };
  return { owner, values };
}

/** A membership as the statement writes it. Ids, roles and JSON arrays of names and numbers have no spaces. */
function membershipIn(text: string): TeamRights {
  const [teamId, role, applications, customActions] = text.split(' ') as [string, string, string, string];
  return teamRights({
    teamId,
    role,
    applications: applications === '-' ? null : applications,
    customActions: customActions === '-' ? null : customActions,
  });
}
