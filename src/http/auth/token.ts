import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, MethodNotAllowedError, TokenExchangeError } from '../../kernel/errors.ts';
import type { ReadBody } from '../body.ts';
import { failureHeaders } from '../failure-headers.ts';
import type { RateLimits } from '../rate-limits.ts';
import { requestIdOf } from '../request.ts';
import { sendJson } from '../send.ts';
import { readForm } from './form.ts';

/** Where tokens of other issuers are exchanged for access tokens. */
export const tokenPath = '/auth/token';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const subjectTypes = ['urn:ietf:params:oauth:token-type:id_token', 'urn:ietf:params:oauth:token-type:jwt'];

export interface TokenEndpointOptions {
  readBody: ReadBody;
  rates: RateLimits;
  addressOf(req: IncomingMessage): string;
  exchange(request: {
    subjectToken: string;
    serviceAccountId: string | undefined;
    requestId: string;
    clientAddress: string;
  }): Promise<{ secret: string; expiresInSeconds: number }>;
}

const invalidRequest = (message: string) => new TokenExchangeError('invalid_request', message);

/** The token and the service account of a request to exchange a token. Other parameters are ignored. */
function requestIn(parameter: (name: string) => string | undefined) {
  const grantType = parameter('grant_type');
  if (grantType === undefined) throw invalidRequest('The parameter grant_type is required.');
  if (grantType !== exchangeGrant) {
    throw new TokenExchangeError('unsupported_grant_type', `The grant_type must be ${exchangeGrant}.`);
  }
  const subjectToken = parameter('subject_token');
  if (subjectToken === undefined) throw invalidRequest('The parameter subject_token is required.');
  if (!subjectTypes.includes(parameter('subject_token_type') ?? '')) {
    throw invalidRequest(`The subject_token_type must be ${subjectTypes.join(' or ')}.`);
  }
  if ((parameter('requested_token_type') ?? accessTokenType) !== accessTokenType) {
    throw invalidRequest(`The requested_token_type must be ${accessTokenType}.`);
  }
  for (const name of ['actor_token', 'resource']) {
    if (parameter(name) !== undefined) throw invalidRequest(`The parameter ${name} is not supported.`);
  }
  if (parameter('scope') !== undefined) {
    throw new TokenExchangeError(
      'invalid_scope',
      'Scopes are not supported: the trust says what is allowed.',
    );
  }
  const serviceAccountId = parameter('audience');
  if (serviceAccountId !== undefined && !/^[0-9a-f]{32}$/.test(serviceAccountId)) {
    throw new TokenExchangeError('invalid_target', 'The audience must be the uid of a service account.');
  }
  return { subjectToken, serviceAccountId };
}

/**
 * Exchanges tokens of other issuers for access tokens of service accounts. Whoever has such a token needs no other authentication.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693
 */
export function createTokenEndpoint({ readBody, rates, addressOf, exchange }: TokenEndpointOptions) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method !== 'POST') throw new MethodNotAllowedError('POST');
    const clientAddress = addressOf(req);
    await rates.requireTrustworthy('exchange', clientAddress, res);
    const form = await readForm(req, res, { readBody, refuse: invalidRequest });
    const request = { ...requestIn(form), requestId: requestIdOf(res), clientAddress };
    try {
      const { secret, expiresInSeconds } = await exchange(request);
      sendJson(res, 200, {
        access_token: secret,
        issued_token_type: accessTokenType,
        token_type: 'Bearer',
        expires_in: expiresInSeconds,
      });
    } catch (error) {
      const isRefused = error instanceof TokenExchangeError && error.reason !== undefined;
      if (isRefused) await rates.countFailure('exchange', clientAddress);
      throw error;
    }
  };
}

function oauthCodeOf(error: ApiError): string {
  if (error instanceof TokenExchangeError) return error.oauthCode;
  if (error.status === 429 || error.status === 503) return 'temporarily_unavailable';
  return error.status < 500 ? 'invalid_request' : 'server_error';
}

/** Sends an error as clients of OAuth expect it. @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export function sendTokenError(res: ServerResponse, error: ApiError): void {
  for (const [name, value] of Object.entries(failureHeaders(error))) res.setHeader(name, value);
  // The characters that the standard allows in a description.
  const description = error.message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
  sendJson(res, error.status, { error: oauthCodeOf(error), error_description: description });
}
