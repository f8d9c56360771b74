import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../../context.ts';
import type { IdentityProvider, ProvidedIdentity } from '../../drivers/identity/driver.ts';
import {
  ApiError,
  ForbiddenError,
  MethodNotAllowedError,
  SignInRefusedError,
  UnauthenticatedError,
} from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Seal } from '../../kernel/seal.ts';
import { noteError, type RequestFacts } from '../../kernel/telemetry.ts';
import type { ReadBody } from '../body.ts';
import { networkOf } from '../client-address.ts';
import { failureHeaders } from '../failure-headers.ts';
import type { FailureKind, RateLimits } from '../rate-limits.ts';
import { pathOf, requestIdOf } from '../request.ts';
import { sendJson } from '../send.ts';
import { attemptSeconds, createAttempts } from './attempts.ts';
import {
  type BackchannelLogoutUses,
  backchannelLogoutPath,
  createBackchannelLogout,
} from './backchannel-logout.ts';
import { type CommandLineUses, createCommandLine } from './command-line.ts';
import type { SessionCookie } from './cookies.ts';
import type { PublicAddress } from './origin.ts';
import { sendPage } from './page.ts';
import { commandLinePath, returnPath } from './return-path.ts';

/** Where signing in is. */
export const authPath = '/auth/';
const callbackPath = '/auth/callback';

/** The functions of the concepts that the sign-in uses. */
interface SignInUses extends CommandLineUses, BackchannelLogoutUses {
  /** Begins a session, and ends the one that the browser had before. Returns the secret for the cookie. */
  signIn(
    identity: ProvidedIdentity,
    from: { requestId: string; address: string; browser: string; previous: string | undefined },
  ): Promise<string>;
  /** Ends the session of the request. */
  signOut(context: Context): Promise<void>;
  recordRefusal(reason: string, address: string, requestId: string): Promise<void>;
}

export interface SignInOptions {
  provider: IdentityProvider | undefined;
  uses: SignInUses;
  cookie: SessionCookie;
  address: PublicAddress;
  seal: Seal;
  rates: RateLimits;
  log: Log;
  readBody: ReadBody;
  addressOf(req: IncomingMessage): string;
  contextOf(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<Context>;
}

/** Reasons that the gateway finds by itself. They keep nobody at the address from signing in. */
const guesses = new Set(['unknown state', 'unknown confirmation', 'unknown code', 'unknown device']);

type Handler = (req: IncomingMessage, res: ServerResponse, facts: RequestFacts) => Promise<void>;

/** Signs people in and out of browsers with the identity provider. */
export function createSignIn(options: SignInOptions) {
  const { provider, uses, cookie, address, seal, rates, log, readBody, addressOf, contextOf } = options;
  const attempts = createAttempts(seal, address.isSecure);

  function requireProvider(): IdentityProvider {
    if (!provider) throw new ApiError('NOT_FOUND', 'No identity provider is configured: see OIDC_ISSUER.');
    return provider;
  }

  /** Whose exchanges with the provider take turns with those of others. */
  const clientOf = (req: IncomingMessage) => networkOf(addressOf(req));

  function callbackUrl(req: IncomingMessage): string {
    const origin = address.originFor(req);
    if (origin !== undefined) return origin + callbackPath;
    throw new ForbiddenError(
      'The address of this gateway is not known. Ask an administrator to set PUBLIC_URL.',
    );
  }

  /** Returns to pages whether users can sign in, and whether the browser has a session. */
  const state: Handler = async (req, res, facts) => {
    const isSignedIn =
      provider !== undefined &&
      (await contextOf(req, res, facts).then(
        () => true,
        (error) => {
          if (error instanceof UnauthenticatedError) return false;
          throw error;
        },
      ));
    sendJson(res, 200, { provider: provider ? { name: provider.name } : null, isSignedIn });
  };

  async function beginFor(
    req: IncomingMessage,
    res: ServerResponse,
    to: string,
    asConfigured = false,
  ): Promise<void> {
    const { url, checks } = await requireProvider().begin(callbackUrl(req), clientOf(req), { asConfigured });
    attempts.add(req, res, { ...checks, to });
    redirect(res, url.href);
  }

  const begin: Handler = (req, res) => beginFor(req, res, returnPath(parametersOf(req).get('to')));

  const finish: Handler = async (req, res) => {
    const answer = new URL(callbackUrl(req));
    answer.search = parametersOf(req).toString();
    const attempt = attempts.take(req, res, answer.searchParams.get('state') ?? '');
    if (!attempt) {
      throw new SignInRefusedError(
        'unknown state',
        `This sign-in was not begun in this browser, was already used, or took longer than ${attemptSeconds / 60} minutes. Sign in again.`,
      );
    }
    await rates.requireTrustworthy('sign-in', addressOf(req), res);
    const identity = await requireProvider().finish(answer, attempt, clientOf(req));
    if (!identity) return beginFor(req, res, attempt.to, true);
    const secret = await uses.signIn(identity, {
      requestId: requestIdOf(res),
      address: addressOf(req),
      browser: req.headers['user-agent'] ?? '',
      previous: cookie.read(req),
    });
    cookie.set(res, secret);
    redirect(res, attempt.to);
  };

  const signOut: Handler = async (req, res, facts) => {
    // A token that is sent along would be used rather than the session.
    delete req.headers.authorization;
    try {
      await uses.signOut(await contextOf(req, res, facts));
    } catch (error) {
      if (!(error instanceof UnauthenticatedError)) throw error;
    }
    // Only here: the response to a late request of an ended session would take away the cookie of the next one.
    cookie.clear(res);
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  };

  /** A page for a person whose browser was led here, instead of a problem document. */
  const withPages =
    (handler: Handler): Handler =>
    async (req, res, facts) => {
      try {
        await handler(req, res, facts);
      } catch (thrown) {
        if (!(thrown instanceof ApiError)) throw thrown;
        const error =
          thrown instanceof SignInRefusedError ? await refused(req, res, thrown, 'sign-in') : thrown;
        noteError(facts, error);
        if (!(error instanceof SignInRefusedError) && error.cause)
          log.warn({ error: error.cause, requestId: requestIdOf(res) }, 'sign-in failed');
        const isRefused = error instanceof SignInRefusedError;
        sendPage(
          res,
          error.status,
          {
            title: isRefused ? 'You are not signed in' : 'Signing in does not work now',
            text: error.message,
            links: [
              { href: '/auth/sign-in', text: 'Sign in again' },
              { href: '/', text: 'Sign in with an access token' },
            ],
          },
          failureHeaders(error),
        );
      }
    };

  /** Counts and records a refusal. Returns it or, if there were too many, that they are limited. */
  async function refused(
    req: IncomingMessage,
    res: ServerResponse,
    error: SignInRefusedError,
    kind: FailureKind,
  ): Promise<ApiError> {
    const [clientAddress, requestId] = [addressOf(req), requestIdOf(res)];
    const { reason } = error;
    try {
      await rates.refuse(guesses.has(reason) ? 'secret' : kind, clientAddress, res);
    } catch (limit) {
      if (limit instanceof ApiError) return limit;
      throw limit;
    }
    log.warn({ requestId, clientAddress, reason }, 'sign-in refused');
    await uses
      .recordRefusal(reason, clientAddress, requestId)
      .catch((failure) => log.error({ error: failure, requestId }, 'refused sign-in was not recorded'));
    return error;
  }

  /** For what makes the gateway ask the provider about something that it does not know itself. */
  const limited =
    (handler: Handler): Handler =>
    async (req, res, facts) => {
      await rates.requireTrustworthy('device', addressOf(req), res);
      await handler(req, res, facts);
    };

  /** For programs, which get a problem document. */
  const recorded =
    (handler: Handler): Handler =>
    async (req, res, facts) => {
      try {
        await handler(req, res, facts);
      } catch (error) {
        throw error instanceof SignInRefusedError ? await refused(req, res, error, 'device') : error;
      }
    };

  const commandLine = createCommandLine({
    provider: requireProvider,
    uses,
    seal,
    readBody,
    contextOf,
    clientOf,
    count: (req) => rates.countFailure('device', addressOf(req)),
    redirect,
    parametersOf,
  });

  const logOut = createBackchannelLogout({
    provider: requireProvider,
    uses,
    rates,
    log,
    readBody,
    addressOf,
  });

  const handlers = new Map<string, Handler>([
    ['/auth/session', only('GET', state)],
    ['/auth/sign-in', withPages(only('GET', begin))],
    [callbackPath, withPages(only('GET', finish))],
    [backchannelLogoutPath, only('POST', logOut)],
    ['/auth/sign-out', only('POST', signOut)],
    [commandLinePath, withPages(only('GET', commandLine.ask))],
    [`${commandLinePath}/allow`, withPages(only('GET', commandLine.allow))],
    [`${commandLinePath}/token`, recorded(only('POST', commandLine.token))],
    ['/auth/device', recorded(limited(only('POST', commandLine.device)))],
    ['/auth/device/token', recorded(limited(only('POST', commandLine.deviceToken)))],
  ]);

  return async (req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> => {
    const handler = handlers.get(pathOf(req));
    if (!handler) throw new ApiError('NOT_FOUND', 'This path does not exist.');
    await handler(req, res, facts);
  };
}

const parametersOf = (req: IncomingMessage) => new URLSearchParams(req.url!.split('?').slice(1).join('?'));

/** HEAD would use up a sign-in without a response that anyone sees. */
const only =
  (method: 'GET' | 'POST', handler: Handler): Handler =>
  async (req, res, facts) => {
    if (req.method !== method) throw new MethodNotAllowedError(method);
    await handler(req, res, facts);
  };

function redirect(res: ServerResponse, location: string): void {
  const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
  res.writeHead(303, { ...headers, Location: location }).end();
}
