import { isCancel, password, text } from '@clack/prompts';
import { ask } from '../api.ts';
import { gatewayUrl, store } from '../connection.ts';
import { type Context, dialog, isTerminal } from '../context.ts';
import { Failure } from '../failure.ts';
import { plain, print, printJson } from '../show.ts';
import { providerOf, signIn } from '../sign-in.ts';
import { textOf } from '../text.ts';

interface LoginOptions {
  json?: boolean;
  /** Asks for a token, although the gateway has an identity provider. */
  token?: boolean;
  /** Signs in with the identity provider, also without a terminal. */
  web?: boolean;
}

/** Whose token it is: a user's or a service account's. */
interface Viewer {
  user: { nickName: string; email: string } | null;
  serviceAccount: { name: string } | null;
}

/** Keeps a gateway and a token for the next commands, after the gateway has accepted the token. */
export async function login(
  context: Context,
  given: string | undefined,
  options: LoginOptions,
): Promise<void> {
  const { env } = context;
  const url = gatewayUrl(given ?? env.TRELLIS_URL ?? (await question(context, 'URL of the gateway')));
  const token = env.TRELLIS_TOKEN || (await obtained(context, url, options));
  const { viewer } = await ask<{ viewer: Viewer }>(
    { url, token },
    '{ viewer { user { nickName email } serviceAccount { name } } }',
  );
  const { user, serviceAccount } = viewer;
  const file = await store(context, { url, token });
  if (options.json) return printJson(context, { url, user, serviceAccount, file });
  print(
    context,
    `Signed in to ${url} as ${plain(user?.nickName ?? serviceAccount?.name ?? '')}. The token is stored in ${file}.`,
  );
}

/** A token that the identity provider of the gateway leads to, or one that the person has. */
async function obtained(context: Context, url: string, { token, web }: LoginOptions): Promise<string> {
  if (!web && (token || !isTerminal(context))) return secret(context);
  if (await providerOf(url)) return signIn(context, url);
  if (web) throw new Failure(`${url} has no identity provider. Run \`trellis login ${url}\` with a token.`);
  return secret(context);
}

async function question(context: Context, message: string): Promise<string> {
  if (!isTerminal(context)) throw new Failure('Specify the gateway: `trellis login URL`.');
  const answer = await text({ message, ...dialog(context) });
  if (isCancel(answer)) throw new Failure('The sign-in was cancelled.');
  return answer;
}

/** A token that is piped in, or typed on a terminal. */
async function secret(context: Context): Promise<string> {
  if (isTerminal(context)) {
    const answer = await password({ message: 'Access token', ...dialog(context) });
    if (isCancel(answer) || !answer) throw new Failure('The sign-in was cancelled.');
    return answer.trim();
  }
  const token = (await textOf(context, '-')).trim();
  if (!token)
    throw new Failure('No token was given. Set TRELLIS_TOKEN, or pass the token on standard input.');
  return token;
}
