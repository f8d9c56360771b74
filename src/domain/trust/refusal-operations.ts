import type { Services } from '../../context.ts';
import { change } from '../../db/write/change.ts';
import type { UncheckedToken } from '../../drivers/token-issuer/driver.ts';
import { asTrellis } from '../access-token/bootstrap-operations.ts';
import { type ExchangeRequest, maxTrusts } from './model.ts';
import { trustsFor } from './reads.ts';

/** The most refusals of an issuer that are logged and recorded in a minute, so that strangers cannot fill the record. */
const refusalsPerMinute = 10;

/** A token that is refused, with the reason. */
export interface Refusal {
  reason: string;
  /** Undefined for a token that cannot be read, or that no trust names. All of them count together. */
  token: UncheckedToken | undefined;
}

/** Logs refusals, and records them for the service account that is meant, if that is clear. */
export function createRefusalRecord({ db, log }: Pick<Services, 'db' | 'log'>) {
  let minute = { begunAt: Number.NEGATIVE_INFINITY, counts: new Map<string, number>() };

  function isOneTooMany(issuer: string): boolean {
    const now = performance.now();
    if (now - minute.begunAt >= 60_000) minute = { begunAt: now, counts: new Map() };
    const count = (minute.counts.get(issuer) ?? 0) + 1;
    minute.counts.set(issuer, count);
    return count > refusalsPerMinute;
  }

  return async ({ reason, token }: Refusal, request: ExchangeRequest): Promise<void> => {
    const issuer = token?.issuer;
    if (isOneTooMany(issuer ?? '')) return;
    const { requestId, clientAddress } = request;
    log.warn({ requestId, clientAddress, issuer, reason }, 'token exchange refused');
    if (!token) return;
    // All trusts of one service account, and one more.
    const trusts = await trustsFor(db, token, request.serviceAccountId, maxTrusts + 1);
    const [id, ...others] = new Set(trusts.map(({ serviceAccountId }) => serviceAccountId));
    if (id === undefined || others.length > 0) return;
    const [account] = await db.serviceAccount.findManyByKeys({ by: 'id', keys: [id] });
    if (!account) return;
    const context = asTrellis(db, account.enterpriseId, requestId);
    await change(context, 'service_account.refuse_token', async ({ recordEvent }) => {
      const subject = { type: 'ServiceAccount', id } as const;
      const after = { reason, issuer, address: clientAddress };
      recordEvent({ subject, teamId: account.teamId, after });
    });
  };
}
