import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IdentityProvider, ProvidedLogout } from '../../drivers/identity/driver.ts';
import { LogoutRefusedError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { ReadBody } from '../body.ts';
import type { RateLimits } from '../rate-limits.ts';
import { requestIdOf } from '../request.ts';
import { readForm } from './form.ts';

/** Where the identity provider says that somebody has signed out there. */
export const backchannelLogoutPath = '/auth/backchannel-logout';

export interface BackchannelLogoutUses {
  /** Ends the sessions. Throws LogoutRefusedError if the message was used before. */
  endProvidedSessions(logout: ProvidedLogout, requestId: string): Promise<void>;
}

interface BackchannelLogoutOptions {
  provider(): IdentityProvider;
  uses: BackchannelLogoutUses;
  rates: RateLimits;
  log: Log;
  readBody: ReadBody;
  addressOf(req: IncomingMessage): string;
}

const refuse = (message: string) => new LogoutRefusedError('invalid request', message);

/**
 * Ends the sessions of somebody who has signed out at the identity provider. Its token needs no other authentication. The limit of
 * failed authentications applies to tokens that were refused, so that nobody can use up that of the provider.
 *
 * @see https://openid.net/specs/openid-connect-backchannel-1_0.html#BCRequest
 */
export function createBackchannelLogout(options: BackchannelLogoutOptions) {
  const { provider, uses, rates, log, readBody, addressOf } = options;

  async function logOut(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parameter = await readForm(req, res, { readBody, refuse });
    const token = parameter('logout_token');
    if (token === undefined) throw refuse('The parameter logout_token is required.');
    const logout = await provider().readLogout(token);
    await uses.endProvidedSessions(logout, requestIdOf(res));
  }

  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    res.setHeader('Cache-Control', 'no-store');
    try {
      await logOut(req, res);
    } catch (error) {
      if (!(error instanceof LogoutRefusedError)) throw error;
      const clientAddress = addressOf(req);
      log.warn({ requestId: requestIdOf(res), clientAddress, reason: error.reason }, 'logout refused');
      await rates.refuse('logout', clientAddress, res);
      throw error;
    }
    res.writeHead(200, { 'Content-Length': 0 }).end();
  };
}
