import { isCancel, password, text } from '@clack/prompts';
import { ask } from '../api.ts';
import { gatewayUrl, store } from '../connection.ts';
import { Failure } from '../failure.ts';
import { isTerminal, plain, print, printJson } from '../show.ts';
import { providerOf, signIn } from '../sign-in.ts';

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
export async function login(given: string | undefined, options: LoginOptions): Promise<void> {
  const url = gatewayUrl(given ?? process.env.TRELLIS_URL ?? (await question('The URL of the gateway')));
  const token = process.env.TRELLIS_TOKEN || (await obtained(url, options));
  const { viewer } = await ask<{ viewer: Viewer }>(
    { url, token },
    '{ viewer { user { nickName email } serviceAccount { name } } }',
  );
  const { user, serviceAccount } = viewer;
  const file = await store({ url, token });
  if (options.json) return printJson({ url, user, serviceAccount, file });
  print(
    `Signed in to ${url} as ${plain(user?.nickName ?? serviceAccount?.name ?? '')}. The token is in ${file}.`,
  );
}

/** A token that the identity provider of the gateway leads to, or one that the person has. */
async function obtained(url: string, { token, web }: LoginOptions): Promise<string> {
  if (!web && (token || !isTerminal())) return secret();
  if (await providerOf(url)) return signIn(url);
  if (web) throw new Failure(`${url} has no identity provider. Run \`trellis login ${url}\` with a token.`);
  return secret();
}

async function question(message: string): Promise<string> {
  if (!isTerminal()) throw new Failure('Name the gateway: `trellis login URL`.');
  const answer = await text({ message });
  if (isCancel(answer)) throw new Failure('Nothing was stored.');
  return answer;
}

/** A token that is piped in, or typed on a terminal. */
async function secret(): Promise<string> {
  if (isTerminal()) {
    const answer = await password({ message: 'An access token' });
    if (isCancel(answer) || !answer) throw new Failure('Nothing was stored.');
    return answer.trim();
  }
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const token = Buffer.concat(chunks).toString('utf8').trim();
  if (!token) throw new Failure('There is no token. Set TRELLIS_TOKEN, or write it to standard input.');
  return token;
}
