import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Database } from '../../db/open.ts';
import type { Filter } from '../../db/query/statement.ts';
import type { Field, Part, Row } from '../../db/tables.ts';
import type { UncheckedToken } from '../../drivers/token-issuer/driver.ts';
import type { Action } from '../../kernel/actions.ts';
import { namedBy } from '../../kernel/global-id.ts';
import { serviceAccountById } from '../service-account/reads.ts';
import { loadTeam, requireAllowed, seesIn } from '../team/reads.ts';
import type { TrustRef } from './model.ts';

type Account = Row<'ServiceAccount'>;

const trustById = batchedRow('Trust', 'id');

/** The trust with its service account, for those who may see what belongs to the team. */
async function visibleWithAccount(
  context: Context,
  id: string,
): Promise<{ trust: Row<'Trust'>; account: Account } | null> {
  const trust = await trustById(context, id);
  const account = await serviceAccountById(context, trust?.serviceAccountId ?? '');
  if (!trust || !account || !(await seesIn(context, { teamId: account.teamId }))) return null;
  return { trust, account };
}

/** The trust, for those who may see what belongs to the team of its service account. */
export const visibleTrust = async (context: Context, id: string): Promise<Row<'Trust'> | null> =>
  (await visibleWithAccount(context, id))?.trust ?? null;

const namedTrust = namedBy('trust', 'Trust', 'trustId', visibleWithAccount);

/** Finds the trust with its service account, for a caller who may do the action with it. */
export async function requireTrust(
  context: Context,
  ref: TrustRef,
  action: Action,
): Promise<{ trust: Row<'Trust'>; account: Account }> {
  const target = await namedTrust(context, ref);
  requireAllowed(context, await loadTeam(context, target.account.teamId), action, { noun: 'trust' });
  return target;
}

const none: Filter<'Trust'>[] = [{ field: 'id', in: [] }];

/** The trusts of a service account, oldest first. None for a service account whose token is limited to less than the team. */
export async function trustsOf(
  context: Context,
  { id, teamId }: Pick<Account, 'id' | 'teamId'>,
): Promise<List<'Trust'>> {
  const where = (await seesIn(context, { teamId })) ? {} : { where: none };
  const spec = { model: 'Trust', parent: { field: 'serviceAccountId' }, order: ['createdAt', 'id'] } as const;
  return { key: id, spec: { ...spec, order: [...spec.order], ...where } };
}

/** Which trusts a token could be for, whatever its claims: of one service account, if the request names it. */
const ofToken = ({ audience }: UncheckedToken, serviceAccountId: string | undefined): Filter<'Trust'>[] => [
  { field: 'audience', is: audience },
  {
    any: [
      { field: 'expiresAt', is: null },
      { field: 'expiresAt', from: new Date() },
    ],
  },
  ...(serviceAccountId === undefined ? [] : [{ field: 'serviceAccountId' as const, is: serviceAccountId }]),
];

const matchFields = ['id', 'serviceAccountId', 'claims', 'createdAt'] as const satisfies Field<'Trust'>[];
export type FoundTrust = Part<'Trust', (typeof matchFields)[number]>;

/**
 * The trusts that the token could be for, oldest first, up to a limit: anyone can send a token for which there are many. Without
 * their grants, which can be large.
 */
export async function trustsFor(
  db: Database,
  token: UncheckedToken,
  serviceAccountId: string | undefined,
  limit: number,
): Promise<FoundTrust[]> {
  const where = ofToken(token, serviceAccountId);
  const pages = await db.trust.findPagesByKeys({
    keys: [token.issuer],
    spec: {
      model: 'Trust',
      parent: { field: 'issuer' },
      order: ['createdAt', 'id'],
      where,
      fields: matchFields,
    },
    window: { limit, fromEnd: false },
  });
  return pages.get(token.issuer)?.rows ?? [];
}
