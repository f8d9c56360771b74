import { randomBytes, randomUUID } from 'node:crypto';
import type { Context, Services } from '../context.ts';
import { type ChangeContext, change } from '../db/change.ts';
import type { Row } from '../db/tables.ts';
import { ForbiddenError } from '../kernel/errors.ts';
import { invalid } from '../kernel/validate.ts';
import { requireUser, userById } from '../user/reads.ts';
import { type AccessTokenRef, type CreateAccessToken, tokenPrefix } from './model.ts';
import { hashToken, requireAccessToken } from './reads.ts';

/** 256 random bits behind the prefix. */
export const newToken = () => `${tokenPrefix}${randomBytes(32).toString('base64url')}`;

/** Makes a token, and answers its secret: the only time that it is seen. */
export async function createAccessToken(
  context: Context,
  input: CreateAccessToken,
): Promise<{ secret: string; accessToken: Row<'AccessToken'> }> {
  const user = input.user
    ? await requireUser(context, input.user)
    : (await userById(context, context.actor.userId))!;
  if (user.id !== context.actor.userId && !context.actor.isAdministrator) {
    throw new ForbiddenError('Only administrators may make access tokens for others.');
  }
  if (input.expiresAt && input.expiresAt <= new Date())
    throw invalid(['input', 'expiresAt'], 'Must be in the future');
  return issueAccessToken(context, user.id, input);
}

/** Makes a token for a user; who may ask for it is the caller's to check. */
export async function issueAccessToken(
  context: ChangeContext,
  userId: number,
  input: Pick<CreateAccessToken, 'name' | 'expiresAt' | 'isReadOnly'>,
  secret = newToken(),
): Promise<{ secret: string; accessToken: Row<'AccessToken'> }> {
  const accessToken = await change(context, 'access_token.create', async (tx, record) => {
    const row = await tx.accessToken.create({
      data: {
        id: randomUUID().replaceAll('-', ''),
        userId,
        name: input.name,
        hash: hashToken(secret),
        isReadOnly: input.isReadOnly ?? false,
        expiresAt: input.expiresAt ?? null,
        createdAt: new Date(),
      },
    });
    record({ subject: { type: 'AccessToken', id: row.id }, after: row });
    return row;
  });
  return { secret, accessToken };
}

/** Revokes a token; one that is revoked already stays as it is. */
export async function revokeAccessToken(context: Context, ref: AccessTokenRef): Promise<Row<'AccessToken'>> {
  const token = await requireAccessToken(context, ref);
  if (token.revokedAt) return token;
  return change(context, 'access_token.revoke', async (tx, record) => {
    const revokedAt = new Date();
    const { count } = await tx.accessToken.updateMany({
      where: { id: token.id, revokedAt: null },
      data: { revokedAt },
    });
    const after = await tx.accessToken.findUniqueOrThrow({ where: { id: token.id } });
    if (count) {
      record({
        subject: { type: 'AccessToken', id: token.id },
        before: { revokedAt: null },
        after: { revokedAt },
      });
    }
    return after;
  });
}

const touchEveryMs = 60_000;

/** Notes that a token was used, at most once a minute. Not a change of the platform: no event tells of it. */
export async function touchAccessToken(
  { db }: Pick<Services, 'db'>,
  token: Row<'AccessToken'>,
): Promise<void> {
  const now = new Date();
  if (token.lastUsedAt && now.getTime() - token.lastUsedAt.getTime() < touchEveryMs) return;
  // The row may be kept: the next request must not do it again.
  token.lastUsedAt = now;
  await db.transaction((tx) =>
    tx.accessToken.updateMany({ where: { id: token.id }, data: { lastUsedAt: now } }),
  );
}
