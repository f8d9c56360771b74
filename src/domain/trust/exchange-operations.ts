import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { type ChangeContext, change, type Write } from '../../db/write/change.ts';
import { ForeignKeyError } from '../../db/write/conflict.ts';
import { lockRows } from '../../db/write/locks.ts';
import type { CheckedToken, UncheckedToken } from '../../drivers/token-issuer/driver.ts';
import { notTrusted } from '../../drivers/token-issuer/refusal.ts';
import { createLoaders } from '../../kernel/batch.ts';
import { ConflictError, RateLimitedError, TokenExchangeError } from '../../kernel/errors.ts';
import { yieldToLoop } from '../../kernel/event-loop.ts';
import { newToken } from '../access-token/operations.ts';
import { insertToken, removeExpiredTokens } from '../access-token/rows.ts';
import { matchesClaims, parseClaims } from './claims-model.ts';
import { type ExchangeRequest, exchangedSeconds, maxCandidates, maxExchangedTokens } from './model.ts';
import { type FoundTrust, trustsFor } from './reads.ts';
import { createRefusalRecord } from './refusal-operations.ts';
import { insertExchangedToken, removeExchangedTokens } from './rows.ts';
import { tokenNameOf } from './token-name-model.ts';

export interface Exchanged {
  secret: string;
  expiresInSeconds: number;
}

/** How often old rows are deleted, and how many in one transaction. */
const sweep = { everyMs: 60_000, atOnce: 500 };

/** The clocks of gateways differ: another one may accept a token for somewhat longer. */
const forgottenAfterMs = 300_000;

const alreadyUsed = () =>
  new TokenExchangeError(
    'invalid_request',
    'The subject token was already exchanged. Get a new one.',
    'already used',
  );

const severalMatch = (reason: string) =>
  new TokenExchangeError(
    'invalid_target',
    'Several service accounts accept the subject token. Name one: send its id as audience.',
    reason,
  );

export function createTokenExchange(services: Services): (request: ExchangeRequest) => Promise<Exchanged> {
  const { db, log, drivers } = services;
  const recordRefusal = createRefusalRecord(services);
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function requireTrusted(token: UncheckedToken, { serviceAccountId }: ExchangeRequest) {
    const [any] = await trustsFor(db, token, serviceAccountId, 1);
    if (!any) throw notTrusted('no trust names its issuer and audience');
    const [account] = await db.serviceAccount.findManyByKeys({ by: 'id', keys: [any.serviceAccountId] });
    if (!account) throw notTrusted('the service account is deleted');
    return account;
  }

  /** The oldest trust that the token matches. */
  async function matchingTrust(token: UncheckedToken, checked: CheckedToken, request: ExchangeRequest) {
    const candidates = await trustsFor(db, token, request.serviceAccountId, maxCandidates + 1);
    if (candidates.length > maxCandidates) throw severalMatch('too many trusts name its issuer and audience');
    const trusts: FoundTrust[] = [];
    for (const candidate of candidates) {
      await yieldToLoop();
      if (matchesClaims(parseClaims(candidate.claims), checked.claims)) trusts.push(candidate);
    }
    const [trust] = trusts;
    if (!trust) throw notTrusted('its claims match no trust');
    if (trusts.every(({ serviceAccountId }) => serviceAccountId === trust.serviceAccountId)) return trust;
    throw severalMatch('several service accounts match');
  }

  async function issue(trust: FoundTrust, checked: CheckedToken, requestId: string): Promise<Exchanged> {
    const keys = [trust.serviceAccountId];
    const [account] = await db.serviceAccount.findManyByKeys({ by: 'id', keys });
    if (!account) throw notTrusted('the service account is deleted');
    const { id: serviceAccountId, enterpriseId } = account;
    const actor = { userId: null, serviceAccountId, tokenId: null, enterpriseId, isReadOnly: false };
    const context: ChangeContext = { db, requestId, loaders: createLoaders(), actor };
    const secret = newToken();
    try {
      const expiresInSeconds = await change(context, 'access_token.exchange', (write) =>
        issueIn(write, { trust, account, checked, secret }),
      );
      return { secret, expiresInSeconds };
    } catch (error) {
      // The only unique value that can be taken is that of the token.
      throw error instanceof ConflictError && !(error instanceof ForeignKeyError) ? alreadyUsed() : error;
    }
  }

  /** Deletes what has expired, from time to time and not in the transaction of an exchange, which others would wait for. */
  async function removeExpired(): Promise<void> {
    const now = performance.now();
    if (now - sweptAt < sweep.everyMs) return;
    sweptAt = now;
    const at = new Date();
    for (const remove of [removeExpiredTokens, removeExchangedTokens]) {
      while ((await db.transaction((tx) => remove(tx, at, sweep.atOnce))) === sweep.atOnce);
    }
  }

  return async (request) => {
    const { requestId } = request;
    let token: UncheckedToken | undefined;
    try {
      const uncheckedToken = await drivers.issuers.read(request.subjectToken);
      const { teamId } = await requireTrusted(uncheckedToken, request);
      token = uncheckedToken;
      const checked = await drivers.issuers.check(token, teamId);
      const trust = await matchingTrust(token, checked, request);
      const exchanged = await issue(trust, checked, requestId);
      removeExpired().catch((error) => log.warn({ error }, 'expired tokens were not deleted'));
      return exchanged;
    } catch (error) {
      if (error instanceof TokenExchangeError && error.reason !== undefined) {
        await recordRefusal({ reason: error.reason, token }, request).catch((failure) =>
          log.error({ error: failure, requestId }, 'refused token exchange was not recorded'),
        );
      }
      throw error;
    }
  };
}

/** Returns how long the token can be used. */
async function issueIn(
  write: Write,
  given: {
    trust: FoundTrust;
    account: Row<'ServiceAccount'>;
    checked: CheckedToken;
    secret: string;
  },
): Promise<number> {
  const { account, checked, secret } = given;
  const { tx } = write;
  const createdAt = new Date();
  await lockRows(write, 'ServiceAccount', account.id);
  const trust = await tx.trust.findUnique({ where: { id: given.trust.id } });
  if (!trust) throw notTrusted('the trust is removed');
  await insertExchangedToken(tx, {
    id: checked.uniqueId,
    expiresAt: new Date(checked.expiresAt.getTime() + forgottenAfterMs),
  });
  const where = { serviceAccountId: account.id, trustId: { not: null }, expiresAt: { gt: createdAt } };
  if ((await tx.accessToken.count({ where })) >= maxExchangedTokens) {
    throw new RateLimitedError(
      `The service account has ${maxExchangedTokens} exchanged tokens that have not expired. Try again later.`,
      60,
    );
  }
  const expiresInSeconds = secondsOf(trust, createdAt);
  const { iss, sub } = checked.claims;
  const token = {
    serviceAccountId: account.id,
    trustId: trust.id,
    name: tokenNameOf(checked.claims),
    secret,
    grants: trust.grants,
    expiresAt: new Date(createdAt.getTime() + expiresInSeconds * 1000),
    createdAt,
  };
  await insertToken(write, token, account.teamId, { issuer: iss, subject: subjectIn(sub) });
  return expiresInSeconds;
}

/** How long an exchanged token can be used: not longer than the trust. */
function secondsOf({ expiresAt }: Row<'Trust'>, now: Date): number {
  const leftSeconds = expiresAt ? Math.floor((expiresAt.getTime() - now.getTime()) / 1000) : exchangedSeconds;
  if (leftSeconds <= 0) throw notTrusted('the trust has expired');
  return Math.min(exchangedSeconds, leftSeconds);
}

/** The subject for the record. */
const subjectIn = (sub: unknown) => (typeof sub === 'string' ? sub.slice(0, 512) : null);
