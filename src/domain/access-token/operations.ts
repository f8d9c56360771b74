import { randomBytes } from 'node:crypto';
import type { Context, Services } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { type ChangeContext, change } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { administers, allows, allowsOwn, type Grant, requireRight } from '../../kernel/access.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import type { ServiceAccountRef } from '../service-account/model.ts';
import { requireServiceAccount } from '../service-account/reads.ts';
import type { UserRef } from '../user/model.ts';
import { loadUser, ownUser, requireUser } from '../user/reads.ts';
import { setClientIp } from '../user/rows.ts';
import { namedGrants, requireGivingAccount, requirePassingOn, storedGrants } from './grant-reads.ts';
import {
  type AccessTokenRef,
  type CreateAccessToken,
  maxActiveTokens,
  newTokens,
  tokenPrefix,
} from './model.ts';
import { type AccessTokenRow, requireAccessToken } from './reads.ts';
import { insertToken, removeOldestEndedTokens, revokeTokens, setLastUsed } from './rows.ts';

/** The prefix and 256 random bits. */
export const newToken = () => `${tokenPrefix}${randomBytes(32).toString('base64url')}`;

interface Issued {
  /** The secret, which is only returned at creation. */
  secret: string;
  accessToken: Row<'AccessToken'>;
}

type TokenOwner = { userId: number } | { serviceAccountId: string; teamId: string };

/** Creates a token for the caller, for another user or for a service account, for a caller who may do so. */
export async function createAccessToken(context: Context, input: CreateAccessToken): Promise<Issued> {
  if (input.serviceAccount) return createTokenOfAccount(context, input.serviceAccount, input);
  const userId = await requireTokenUser(context, input.user);
  const grants = await grantsFor(context, input);
  requirePassingOn(context, grants);
  return issueAccessToken(context, { userId }, { ...input, grants });
}

async function createTokenOfAccount(
  context: Context,
  ref: ServiceAccountRef,
  input: CreateAccessToken,
): Promise<Issued> {
  const { account, team } = await requireServiceAccount(context, ref, 'createAccessToken');
  const grants = await grantsFor(context, input);
  requireGivingAccount(context, { account, team }, grants);
  const owner = { serviceAccountId: account.id, teamId: account.teamId };
  return issueAccessToken(context, owner, { ...input, grants });
}

/** The grants of a new token, or of what gives tokens. They default to those of the token that creates it. */
export async function grantsFor(
  context: Context,
  input: Pick<CreateAccessToken, 'expiresAt' | 'grants'>,
): Promise<readonly Grant[] | null> {
  if (input.expiresAt && input.expiresAt <= new Date())
    throw invalid(['input', 'expiresAt'], 'Must be in the future');
  return input.grants ? namedGrants(context, input.grants) : context.actor.grants;
}

async function requireTokenUser(context: Context, ref: UserRef | null | undefined): Promise<number> {
  const user = ref ? await requireUser(context, ref) : null;
  const userId = user?.id ?? ownUser(context).userId;
  requireRight(context, (actor) => {
    if (userId === actor.userId) {
      if (!allowsOwn(actor, 'createAccessToken')) {
        throw new ForbiddenError('The access token does not allow this change. Use one with more rights.');
      }
    } else if (!allows(actor, 'createAccessToken', user!)) {
      throw new ForbiddenError('Only enterprise administrators can create access tokens for other users.');
    }
  });
  return userId;
}

/** Creates a token, without an access check. */
export async function issueAccessToken(
  context: ChangeContext,
  owner: TokenOwner,
  input: Pick<CreateAccessToken, 'name' | 'expiresAt' | 'isReadOnly'> & { grants?: readonly Grant[] | null },
  secret = newToken(),
): Promise<Issued> {
  const accessToken = await change(context, 'access_token.create', async (write) => {
    const { tx } = write;
    const createdAt = new Date();
    const expiresAt = await boundedExpiry(context, tx, input.expiresAt);
    const [model, id, where] =
      'userId' in owner
        ? (['User', owner.userId, { userId: owner.userId }] as const)
        : (['ServiceAccount', owner.serviceAccountId, { serviceAccountId: owner.serviceAccountId }] as const);
    // Locks the owner, so that concurrent requests cannot exceed the limit.
    await lockRows(write, model, id);
    const owned = { ...where, trustId: null };
    const noun = model === 'User' ? 'user' : 'service account';
    const active = await tx.accessToken.count({ where: { ...owned, ...isActive(createdAt) } });
    if (active >= maxActiveTokens) {
      throw new ConflictError(
        `The ${noun} has ${active} active access tokens, and the limit is ${maxActiveTokens}. Revoke one first.`,
      );
    }
    const since = new Date(createdAt.getTime() - newTokens.ms);
    const created = await tx.accessToken.count({ where: { ...owned, createdAt: { gt: since } } });
    if (created >= newTokens.most) {
      throw new ConflictError(
        `The ${noun} got ${created} access tokens in the last hour, and the limit is ${newTokens.most}. Try again later.`,
      );
    }
    await removeOldestEndedTokens(write, where, createdAt);
    return insertToken(
      write,
      {
        ...where,
        name: input.name,
        secret,
        isReadOnly: input.isReadOnly ?? false,
        grants: storedGrants(input.grants ?? null),
        expiresAt,
        createdAt,
      },
      'teamId' in owner ? owner.teamId : null,
    );
  });
  return { secret, accessToken };
}

const isActive = (now: Date) => ({ revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });

/** The expiry of a new token, or of what gives tokens: never later than that of the token that creates it, which is the default. */
export async function boundedExpiry(
  { actor }: ChangeContext,
  tx: Transaction,
  wanted: Date | null | undefined,
): Promise<Date | null> {
  // Server commands and sessions have no token.
  if (actor.tokenId === null) return wanted ?? null;
  const creator = await tx.accessToken.findUnique({ where: { id: actor.tokenId } });
  const end = creator?.expiresAt ?? null;
  if (wanted === undefined || end === null) return wanted ?? end;
  if (wanted === null || wanted > end) {
    throw invalid(
      ['input', 'expiresAt'],
      `Must not be later than ${end.toISOString()}, the expiry of the access token of this request`,
    );
  }
  return wanted;
}

/** Revokes a user's tokens with this name, except for the `keep` newest. */
export async function revokeOldAccessTokens(
  context: ChangeContext,
  userId: number,
  name: string,
  keep: number,
): Promise<void> {
  await change(context, 'access_token.revoke', async (write) => {
    const old = await write.tx.accessToken.findMany({
      where: { userId, name, ...isActive(new Date()) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: keep,
    });
    await revokeTokens(
      write,
      old.map(({ id }) => id),
    );
  });
}

/** Revokes a token. Does nothing if the token is already revoked. */
export async function revokeAccessToken(
  context: Context,
  input: { token: AccessTokenRef },
): Promise<AccessTokenRow> {
  const token = await requireAccessToken(context, input.token);
  const teamId = await requireRevoking(context, token);
  if (token.revokedAt) return token;
  return change(context, 'access_token.revoke', async (write) => {
    await revokeTokens(write, [token.id], teamId);
    return write.tx.accessToken.findUniqueOrThrow({ where: { id: token.id } });
  });
}

/** Returns the team of the service account that the token belongs to, or null. */
async function requireRevoking(
  context: Context,
  { userId, serviceAccountId }: AccessTokenRow,
): Promise<string | null> {
  if (serviceAccountId !== null) {
    const { team } = await requireServiceAccount(context, { serviceAccountId }, 'revokeAccessToken');
    return team.id;
  }
  const user = await loadUser(context, userId!);
  requireRight(context, (actor) => {
    const isOwn = userId === actor.userId;
    if (isOwn ? allowsOwn(actor, 'revokeAccessToken') : allows(actor, 'revokeAccessToken', user)) return;
    if (!isOwn && !administers(actor, user)) throw new NotFoundError('access token');
    throw new ForbiddenError('The access token does not allow this change. Use one with more rights.');
  });
  return null;
}

/** Limits writes for a user with clients at several addresses, which would otherwise write on every request. */
const addressEveryMs = 1_000;

/**
 * Records the last use of a token, at most once in `everyMs`, and the last IP address of its user, also when
 * it changes. No event is recorded.
 */
export async function touchAccessToken(
  { db }: Pick<Services, 'db'>,
  used: { row: Row<'AccessToken'>; clientIp: string },
  clientAddress: string,
  everyMs: number,
): Promise<void> {
  const { row } = used;
  const now = new Date();
  const isMoved = row.userId !== null && clientAddress !== '' && clientAddress !== used.clientIp;
  const sinceMs = row.lastUsedAt ? now.getTime() - row.lastUsedAt.getTime() : Number.POSITIVE_INFINITY;
  if (sinceMs < (isMoved ? addressEveryMs : everyMs)) return;
  // Updates the cached row, so that the next request does not write again.
  row.lastUsedAt = now;
  if (isMoved) used.clientIp = clientAddress;
  await db.transaction(async (tx) => {
    await setLastUsed(tx, row.id, now);
    if (isMoved) await setClientIp(tx, row.userId!, clientAddress);
  });
}
