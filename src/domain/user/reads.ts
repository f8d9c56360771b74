import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Filter, ListSpec } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import {
  type Actor,
  administers,
  allows,
  allowsAll,
  allowsOwn,
  requireRight,
  sees,
  visibleTo,
} from '../../kernel/access.ts';
import { type Action, actionWords } from '../../kernel/actions.ts';
import { batched, existing } from '../../kernel/batch.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { idOfType, numericId } from '../../kernel/global-id.ts';
import { invalid } from '../../kernel/validate.ts';
import type { UserRef } from './model.ts';

/** The user by id, without an access check. For objects related to one that the actor may see. */
export const userById = batchedRow('User', 'id');
/** Rejects with NOT_FOUND if there is none. */
export const loadUser = existing('user', userById);

/** The users visible to the actor: the actor, members of its teams and, for administrators, all users. */
const visibleUsers = ({ actor }: Context): Filter<'User'>[] => [
  { field: 'enterpriseId', is: actor.enterpriseId },
  ...(administers(actor, actor)
    ? []
    : [
        {
          any: [
            ...(actor.userId === null ? [] : [{ field: 'id' as const, is: actor.userId }]),
            {
              field: 'id' as const,
              through: 'Membership' as const,
              on: 'userId',
              where: [{ field: 'teamId', in: visibleTo(actor).teams }],
            },
          ],
        },
      ]),
];

const visibleBy = <F extends 'id' | 'email', K extends Row<'User'>[F]>(field: F) =>
  batched(async (context: Context, keys: K[]) => {
    const rows = await context.db.user.findManyByKeys({ by: field, keys, where: visibleUsers(context) });
    return new Map(rows.map((row) => [row[field] as K, row]));
  }, null);

/** The user by id, or null if not visible to the actor. */
export const visibleUserById = visibleBy<'id', number>('id');
const visibleUserByEmail = visibleBy<'email', string>('email');

const colleagueByEmail = batched(async (context: Context, emails: string[]) => {
  const where: Filter<'User'>[] = [{ field: 'enterpriseId', is: context.actor.enterpriseId }];
  const rows = await context.db.user.findManyByKeys({ by: 'email', keys: emails, where });
  return new Map(rows.map((row) => [row.email, row]));
}, null);

/** The user by id as a string, or null if not visible to the actor. */
export async function visibleUser(context: Context, id: string | number): Promise<Row<'User'> | null> {
  const number = numericId(String(id));
  return number === undefined ? null : visibleUserById(context, number);
}

export async function requireUser(context: Context, ref: UserRef): Promise<Row<'User'>> {
  const user =
    ref.email != null
      ? await visibleUserByEmail(context, ref.email.toLowerCase())
      : await visibleUser(context, ref.userId ?? idOfType('User', ref.id ?? '') ?? '');
  if (!user) throw new NotFoundError('user');
  return user;
}

/**
 * The user to add to a team: any user of the enterprise whose exact email address the caller
 * gives, otherwise a user visible to the caller. Ids are not accepted for all users, because they can be enumerated.
 */
export async function requireInvitee(context: Context, ref: UserRef): Promise<Row<'User'>> {
  if (ref.email == null) return requireUser(context, ref);
  const user = await colleagueByEmail(context, ref.email.toLowerCase());
  if (!user) throw new NotFoundError('user');
  return user;
}

/** FORBIDDEN for all but administrators, and for access tokens that do not allow the action. */
export function requireAdministrator(context: Context, action: Action, what = actionWords[action]): void {
  requireRight(context, (actor) => {
    if (!allows(actor, action, { enterpriseId: actor.enterpriseId })) throw onlyAdministrators(actor, what);
  });
}

/** FORBIDDEN for access tokens of administrators that do not allow the actions, everywhere, that somebody would get. */
export const requireGivingEverywhere = (context: Context, actions: Iterable<Action>): void =>
  requireRight(context, (actor) => {
    if (allowsAll(actor, actions, { enterpriseId: actor.enterpriseId })) return;
    throw new ForbiddenError('This access token cannot grant more rights than its own.');
  });

/** The user of the request. INVALID_INPUT for a service account, whose input has to name a user. */
export function ownUser({ actor }: Pick<Context, 'actor'>, path = ['input', 'user']): { userId: number } {
  if (actor.userId === null) throw invalid(path, 'A service account has to name a user');
  return { userId: actor.userId };
}

export const onlyAdministrators = (
  { grants, isShortLived }: Pick<Actor, 'grants' | 'isShortLived'>,
  what: string,
) =>
  new ForbiddenError(
    `Only enterprise administrators can ${what}${grants === null && !isShortLived ? '' : ', with an access token that allows the action'}.`,
  );

/**
 * The user to change. FORBIDDEN for callers other than the user and administrators of the user's enterprise; NOT_FOUND if
 * they do not share a team with the user either.
 */
export async function requireChangeableUser(context: Context, ref: UserRef): Promise<Row<'User'>> {
  const user = await requireUser(context, ref);
  const memberships = await context.db.membership.findManyByKeys({
    by: 'userId',
    keys: [user.id],
    fields: ['teamId'],
  });
  requireRight(context, (actor) => {
    if (isSelf(actor, user) ? allowsOwn(actor, 'updateUser') : allows(actor, 'updateUser', user)) return;
    if (isSelf(actor, user) || administers(actor, user)) throw onlyAdministrators(actor, 'change a user');
    if (!memberships.some(({ teamId }) => sees(actor, { teamId }))) throw new NotFoundError('user');
    throw new ForbiddenError('Only the user and enterprise administrators can change a user.');
  });
  return user;
}

const isSelf = (actor: Actor, user: Pick<Row<'User'>, 'id'>) => actor.userId === user.id;

/** Whether the actor may read the user's contact data and access tokens. */
export const mayReadPrivate = (
  { actor }: Pick<Context, 'actor'>,
  user: Pick<Row<'User'>, 'id' | 'enterpriseId'> | null,
): boolean =>
  user !== null && ((isSelf(actor, user) && allowsOwn(actor, 'read')) || administers(actor, user));

/** FORBIDDEN for callers other than the user and administrators of the user's enterprise. */
export function requirePrivate(
  context: Pick<Context, 'actor'>,
  user: Pick<Row<'User'>, 'id' | 'enterpriseId'>,
  what: string,
): void {
  if (mayReadPrivate(context, user)) return;
  throw new ForbiddenError(`Only the user and enterprise administrators can read the ${what}.`);
}

/** The administrators of the actor's enterprise, sorted by id. */
export function administrators(context: Context, enterpriseId?: string | null): List<'User'> {
  requireAdministrator(context, 'read', 'list administrators');
  const key = enterpriseId ?? context.actor.enterpriseId;
  if (key !== context.actor.enterpriseId) throw new NotFoundError('enterprise');
  return {
    key,
    spec: {
      model: 'User',
      parent: { field: 'enterpriseId' },
      order: ['id'],
      where: [{ field: 'isAdministrator', is: true }],
    },
  };
}

/** How many administrators are named to those who need one. */
export const maxNamedAdministrators = 10;

const namesById = batched(async ({ db }: Context, enterpriseIds: string[]) => {
  const spec: ListSpec<'User'> = {
    model: 'User',
    parent: { field: 'enterpriseId' },
    order: ['id'],
    where: [
      { field: 'isAdministrator', is: true },
      { field: 'isActive', is: true },
    ],
  };
  const window = { limit: maxNamedAdministrators, fromEnd: false };
  const pages = await db.user.findPagesByKeys({ keys: enterpriseIds, spec, window });
  return new Map([...pages].map(([id, { rows }]) => [id as string, rows.map(({ nickName }) => nickName)]));
}, [] as string[]);

/**
 * The names of active administrators, whom people can ask for what they may not do themselves. None for service accounts and
 * access tokens that are limited.
 */
export const administratorNames = (context: Context, enterpriseId: string): string[] | Promise<string[]> =>
  context.actor.userId === null || context.actor.grants !== null ? [] : namesById(context, enterpriseId);

/** The users of the actor's enterprise, sorted by id. */
export function users(context: Context, search?: string | null): List<'User'> {
  requireAdministrator(context, 'read', 'list users');
  return {
    key: context.actor.enterpriseId,
    spec: {
      model: 'User',
      parent: { field: 'enterpriseId' },
      order: ['id'],
      where: search ? [{ field: 'folded', contains: search }] : [],
    },
  };
}
