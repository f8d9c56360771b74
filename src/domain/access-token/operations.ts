import { randomBytes } from 'node:crypto';
import type { Context, Services } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { type ChangeContext, change } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { requireRight } from '../../kernel/access.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import { requireUser } from '../user/reads.ts';
import { setClientIp } from '../user/rows.ts';
import { type AccessTokenRef, type CreateAccessToken, maxActiveTokens, tokenPrefix } from './model.ts';
import { requireAccessToken } from './reads.ts';
import { insertToken, revokeTokens, setLastUsed } from './rows.ts';

/** The prefix and 256 random bits. */
export const newToken = () => `${tokenPrefix}${randomBytes(32).toString('base64url')}`;

interface Issued {
  /** The secret, which is only returned at creation. */
  secret: string;
  accessToken: Row<'AccessToken'>;
}

/** Creates a token for the caller; administrators may create one for another user. */
export async function createAccessToken(context: Context, input: CreateAccessToken): Promise<Issued> {
  const user = input.user ? await requireUser(context, input.user) : { id: context.actor.userId };
  requireRight(context, (actor) => {
    if (user.id !== actor.userId && !actor.isAdministrator) {
      throw new ForbiddenError('Only enterprise administrators may create access tokens for other users.');
    }
  });
  if (input.expiresAt && input.expiresAt <= new Date())
    throw invalid(['input', 'expiresAt'], 'Must be in the future');
  return issueAccessToken(context, user.id, input);
}

/** Creates a token for a user, without an access check. */
export async function issueAccessToken(
  context: ChangeContext,
  userId: number,
  input: Pick<CreateAccessToken, 'name' | 'expiresAt' | 'isReadOnly'>,
  secret = newToken(),
): Promise<Issued> {
  const accessToken = await change(context, 'access_token.create', async (write) => {
    const { tx } = write;
    const createdAt = new Date();
    const expiresAt = await boundedExpiry(context, tx, input.expiresAt);
    // Locks the user, so that concurrent requests cannot exceed the limit.
    await lockRows(write, 'User', userId);
    const active = await tx.accessToken.count({ where: { userId, ...isActive(createdAt) } });
    if (active >= maxActiveTokens) {
      throw new ConflictError(
        `The user has ${active} access tokens that are neither expired nor revoked. The limit is ${maxActiveTokens}. Revoke one first.`,
      );
    }
    const isReadOnly = input.isReadOnly ?? false;
    return insertToken(write, { userId, name: input.name, secret, isReadOnly, expiresAt, createdAt });
  });
  return { secret, accessToken };
}

const isActive = (now: Date) => ({ revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });

/** The expiry of a new token: never later than that of the token that creates it, which is the default. */
async function boundedExpiry(
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
      `Must not be later than ${end.toISOString()}, the expiry of the access token that creates it`,
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
export async function revokeAccessToken(context: Context, ref: AccessTokenRef): Promise<Row<'AccessToken'>> {
  const token = await requireAccessToken(context, ref);
  requireRight(context, (actor) => {
    if (token.userId !== actor.userId && !actor.isAdministrator) throw new NotFoundError('access token');
  });
  if (token.revokedAt) return token;
  return change(context, 'access_token.revoke', async (write) => {
    await revokeTokens(write, [token.id]);
    return write.tx.accessToken.findUniqueOrThrow({ where: { id: token.id } });
  });
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
  const isMoved = clientAddress !== '' && clientAddress !== used.clientIp;
  const sinceMs = row.lastUsedAt ? now.getTime() - row.lastUsedAt.getTime() : Number.POSITIVE_INFINITY;
  if (sinceMs < (isMoved ? addressEveryMs : everyMs)) return;
  // Updates the cached row, so that the next request does not write again.
  row.lastUsedAt = now;
  if (isMoved) used.clientIp = clientAddress;
  await db.transaction(async (tx) => {
    await setLastUsed(tx, row.id, now);
    if (isMoved) await setClientIp(tx, row.userId, clientAddress);
  });
}
