import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { IdentityProvider, ProvidedIdentity } from '../../drivers/identity/driver.ts';
import { ApiError, SignInRefusedError, UnauthenticatedError } from '../../kernel/errors.ts';
import { isSameSecret } from '../../kernel/same-secret.ts';
import type { Seal } from '../../kernel/seal.ts';
import type { RequestFacts } from '../../kernel/telemetry.ts';
import { parse } from '../../kernel/validate.ts';
import { jsonOf, type ReadBody, strangerBodyBytes } from '../body.ts';
import { requireJson } from '../media-type.ts';
import { requestIdOf } from '../request.ts';
import { sendJson } from '../send.ts';
import { sendPage } from './page.ts';
import { commandLinePath } from './return-path.ts';
import { createSealed } from './sealed.ts';

/** The token of a command line that was signed in. */
interface IssuedToken {
  token: string;
  expiresAt: Date;
  user: { nickName: string; email: string };
}

export interface CommandLineUses {
  /** The email address of the user of a session. */
  emailOf(context: Context): Promise<string>;
  /**
   * A token for the user of a session, once for a challenge. Throws UNAUTHENTICATED if the session has ended, and
   * SignInRefusedError if a token was issued for the challenge.
   */
  issueInSession(code: { sessionId: string; challenge: string }, requestId: string): Promise<IssuedToken>;
  /** A token for the user of an account of the provider. */
  issueFor(identity: ProvidedIdentity, requestId: string): Promise<IssuedToken>;
}

export interface CommandLineOptions {
  provider(): IdentityProvider;
  uses: CommandLineUses;
  seal: Seal;
  readBody: ReadBody;
  contextOf(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<Context>;
  /** The network of the client. */
  clientOf(req: IncomingMessage): string;
  /** Counts a request that makes the gateway ask the provider. */
  count(req: IncomingMessage): Promise<void>;
  redirect(res: ServerResponse, location: string): void;
  parametersOf(req: IncomingMessage): URLSearchParams;
}

const challenge = z.string().regex(/^[\w-]{43}$/, 'Must be a SHA-256 in base64url');
/** The listener of the command line, and what it compares the answer with. */
const listener = z.object({
  port: z.coerce.number().int().min(1_024).max(65_535),
  challenge,
  state: z.string().regex(/^[\w-]{16,64}$/, 'Must be 16 to 64 letters and digits'),
});
/** How long a person may take to allow it, and how long the command line to fetch its token. */
const [confirmSeconds, fetchSeconds] = [600, 60];
/** The most keys in a body. They have at most two. */
const maxKeys = 10;
/** How long the provider is not asked about a device again. */
const askAgainMs = 1_000;

/** By which a person recognizes their own command line, which shows the same. */
const userCodeOf = (challenge: string): string => {
  const [, one, two] = /^(.{4})(.{4})/.exec(createHash('sha256').update(challenge).digest('hex'))!;
  return `${one}-${two}`.toUpperCase();
};

/**
 * Signs command lines in, which get an access token: in a browser whose session is confirmed, with the answer to a listener on loopback,
 * or with the device authorization grant of the provider.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252 and https://www.rfc-editor.org/rfc/rfc8628
 */
export function createCommandLine(options: CommandLineOptions) {
  const { provider, uses, seal, readBody, contextOf, clientOf, count, redirect, parametersOf } = options;
  const inSession = { sessionId: z.string() };
  const confirmations = createSealed(seal, 'command-line-confirmation', {
    schema: listener.extend(inSession),
    seconds: confirmSeconds,
  });
  const codes = createSealed(seal, 'command-line-code', {
    schema: z.object({ ...inSession, challenge }),
    seconds: fetchSeconds,
  });
  const devices = createSealed(seal, 'device', {
    schema: z.object({ deviceCode: z.string() }),
    seconds: 1_800,
  });
  /** The devices that the provider is asked about, or was a moment ago. Only those that the provider has made are here. */
  const asked = new Set<string>();

  /**
   * Asks the provider about a device. Not more often than a command line needs: whoever has a handle could take all exchanges that other
   * people sign in with.
   */
  async function identityOn(deviceCode: string, client: string): Promise<ProvidedIdentity | undefined> {
    if (asked.has(deviceCode)) return undefined;
    asked.add(deviceCode);
    try {
      return await provider().finishDevice(deviceCode, client);
    } finally {
      setTimeout(() => asked.delete(deviceCode), askAgainMs).unref();
    }
  }

  /** The context of the session of the browser. Undefined if there is none. */
  async function sessionOf(req: IncomingMessage, res: ServerResponse, facts: RequestFacts) {
    provider();
    // A token that is sent along would be used rather than the session.
    delete req.headers.authorization;
    return contextOf(req, res, facts).catch((error) => {
      if (error instanceof UnauthenticatedError) return undefined;
      throw error;
    });
  }

  async function bodyOf<T>(req: IncomingMessage, res: ServerResponse, schema: z.ZodType<T>): Promise<T> {
    requireJson(req.headers);
    return parse(schema, jsonOf(await readBody(req, res, strangerBodyBytes), maxKeys));
  }

  return {
    /** Asks the person in the browser. */
    async ask(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> {
      const given = parse(listener, Object.fromEntries(parametersOf(req)));
      const context = await sessionOf(req, res, facts);
      if (!context) {
        const to = `${commandLinePath}?${new URLSearchParams({ ...given, port: String(given.port) })}`;
        return redirect(res, `/auth/sign-in?to=${encodeURIComponent(to)}`);
      }
      const confirmation = confirmations.close({ ...given, sessionId: context.actor.sessionId! });
      sendPage(res, 200, {
        title: 'Sign in a command line?',
        text: `It will act as ${await uses.emailOf(context)}. Allow it only if you have just run “trellis login” on this computer, and it shows the code ${userCodeOf(given.challenge)}.`,
        links: [
          { href: `${commandLinePath}/allow?confirmation=${confirmation}`, text: 'Allow' },
          { href: '/', text: 'Do not allow' },
        ],
      });
    },

    /**
     * Sends a code to the listener. It is no form, which could not lead to another origin; the confirmation is only on the page of this
     * session, and nothing is changed before the code is used.
     */
    async allow(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> {
      const context = await sessionOf(req, res, facts);
      const confirmation = confirmations.open(parametersOf(req).get('confirmation') ?? '');
      const sessionId = context?.actor.sessionId;
      if (!confirmation || sessionId == null || !isSameSecret(confirmation.sessionId, sessionId)) {
        throw new SignInRefusedError(
          'unknown confirmation',
          'This page has expired or belongs to another session. Run “trellis login” again.',
        );
      }
      const code = codes.close({ sessionId, challenge: confirmation.challenge });
      const parameters = new URLSearchParams({ code, state: confirmation.state });
      redirect(res, `http://127.0.0.1:${confirmation.port}/?${parameters}`);
    },

    /** The token for a code, once, for who has the verifier of its challenge. */
    async token(req: IncomingMessage, res: ServerResponse): Promise<void> {
      provider();
      const schema = z.strictObject({ code: z.string(), verifier: z.string().min(43).max(128) });
      const given = await bodyOf(req, res, schema);
      const code = codes.open(given.code);
      const expected = createHash('sha256').update(given.verifier).digest('base64url');
      if (!code || !isSameSecret(code.challenge, expected)) {
        throw new SignInRefusedError(
          'unknown code',
          'The code has expired or belongs to another command line. Run “trellis login” again.',
        );
      }
      sendJson(res, 200, await uses.issueInSession(code, requestIdOf(res)));
    },

    /** Begins a sign-in on another device. NOT_FOUND if the provider does not support it. */
    async device(req: IncomingMessage, res: ServerResponse): Promise<void> {
      await count(req);
      const begun = await provider().beginDevice(clientOf(req));
      if (!begun) throw new ApiError('NOT_FOUND', 'The identity provider has no sign-in for devices.');
      const { deviceCode, ...shown } = begun;
      sendJson(res, 200, { ...shown, handle: devices.close({ deviceCode }) });
    },

    /** The token of a sign-in on another device, or 202 until it is finished there. */
    async deviceToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const { handle } = await bodyOf(req, res, z.strictObject({ handle: z.string() }));
      const device = devices.open(handle);
      if (!device) throw new SignInRefusedError('unknown device', 'The sign-in took too long. Begin again.');
      const identity = await identityOn(device.deviceCode, clientOf(req));
      if (!identity) return sendJson(res, 202, { isPending: true });
      sendJson(res, 200, await uses.issueFor(identity, requestIdOf(res)));
    },
  };
}
