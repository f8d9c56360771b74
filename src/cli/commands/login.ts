import { isCancel, password, text } from '@clack/prompts';
import { ask } from '../api.ts';
import { gatewayUrl, store } from '../connection.ts';
import { Failure } from '../failure.ts';
import { isTerminal, plain, print, printJson } from '../show.ts';

/** Whose token it is: a user's or a service account's. */
interface Viewer {
  user: { nickName: string; email: string } | null;
  serviceAccount: { name: string } | null;
}

/** Keeps a gateway and a token for the next commands, after the gateway has accepted the token. */
export async function login(given: string | undefined, options: { json?: boolean }): Promise<void> {
  const url = gatewayUrl(given ?? process.env.TRELLIS_URL ?? (await question('The URL of the gateway')));
  const token = process.env.TRELLIS_TOKEN || (await secret());
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
