import { spawn } from 'node:child_process';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { note, plain } from './show.ts';

/** How long a person may take in the browser. */
const browserMs = 600_000;

interface Issued {
  token: string;
}

interface Device {
  userCode: string;
  verificationUrl: string;
  completeUrl?: string;
  expiresInSeconds: number;
  intervalSeconds: number;
  handle: string;
}

interface Answer<T> {
  status: number;
  body: T & { code?: string; detail?: string };
}

/** Sends a request to the sign-in of the gateway. */
async function request<T>(url: string, path: string, body?: object): Promise<Answer<T>> {
  const init = body && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  };
  try {
    const response = await fetch(url + path, init);
    return { status: response.status, body: (await response.json()) as Answer<T>['body'] };
  } catch {
    throw new Failure(`${url} cannot be reached, or is not a gateway.`);
  }
}

function resultOf<T>({ status, body }: Answer<T>): T {
  if (status < 300) return body;
  throw new Failure(body.detail ?? `The gateway responded with the status ${status}.`, { code: body.code });
}

/** The name of the identity provider of a gateway. Undefined if it only takes tokens. */
export async function providerOf(url: string): Promise<string | undefined> {
  return resultOf(await request<{ provider: { name: string } | null }>(url, '/auth/session')).provider?.name;
}

/** Signs in with the identity provider: on any device if it supports that, otherwise in a browser on this computer. */
export async function signIn(context: Context, url: string): Promise<string> {
  const begun = await request<Device>(url, '/auth/device', {});
  if (begun.status === 404) return signInWithBrowser(context, url);
  return signInWithDevice(context, url, resultOf(begun));
}

async function signInWithDevice(context: Context, url: string, device: Device): Promise<string> {
  const { verificationUrl, completeUrl, userCode, handle } = device;
  note(context, `Open ${plain(verificationUrl)} in a browser, and enter the code ${plain(userCode)}.`);
  openBrowser(context, completeUrl ?? verificationUrl);
  const until = performance.now() + device.expiresInSeconds * 1000;
  const waitMs = Number(context.env.TRELLIS_POLL_MS) || device.intervalSeconds * 1000;
  while (performance.now() < until) {
    await sleep(waitMs);
    const answer = await request<Issued>(url, '/auth/device/token', { handle });
    if (answer.status !== 202) return resultOf(answer).token;
  }
  throw new Failure('The sign-in took too long. Run `trellis login` again.');
}

/**
 * Listens on loopback, where the browser brings a code once the person has allowed it. The code is worth nothing without the verifier,
 * which never leaves this process before that.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252
 */
async function signInWithBrowser(context: Context, url: string): Promise<string> {
  const [verifier, state] = [randomBytes(32), randomBytes(24)].map((bytes) => bytes.toString('base64url'));
  const challenge = createHash('sha256').update(verifier!).digest('base64url');
  const { port, code } = await listenForCode(state!);
  const address = `${url}/auth/cli?${new URLSearchParams({ port: String(port), challenge, state: state! })}`;
  note(
    context,
    `Confirm the sign-in in a browser, if it shows the code ${userCodeOf(challenge)}: ${address}`,
  );
  openBrowser(context, address);
  return resultOf(await request<Issued>(url, '/auth/cli/token', { code: await code, verifier })).token;
}

async function listenForCode(state: string): Promise<{ port: number; code: Promise<string> }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const code = new Promise<string>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Failure('The sign-in was not confirmed in time. Run `trellis login` again.')),
      browserMs,
    );
    server.on('request', (req, res) => {
      const { searchParams } = new URL(req.url ?? '/', 'http://127.0.0.1');
      const code = searchParams.get('code');
      // Other pages can send requests here as well, and do not know the state.
      if (!code || !isSame(searchParams.get('state') ?? '', state)) {
        return answer(res, 400, 'This is not the response that the command line is waiting for.');
      }
      answer(res, 200, 'The command line is signed in. You can close this page.');
      clearTimeout(late);
      resolve(code);
    });
  }).finally(() => {
    server.close();
    server.closeIdleConnections();
  });
  return { port: (server.address() as AddressInfo).port, code };
}

function answer(res: ServerResponse, status: number, text: string): void {
  res
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
    .end(`${text}\n`);
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

/** The code that the page in the browser shows as well. */
function userCodeOf(challenge: string): string {
  const text = digest(challenge).toString('hex').slice(0, 8).toUpperCase();
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/** Opens the browser, if that is possible: the address was printed as well. */
function openBrowser({ env }: Context, address: string): void {
  // It comes from the gateway, and programs that open things open files as well.
  if (!/^https?:\/\//.test(address)) return;
  const command =
    env.BROWSER || { darwin: 'open', win32: 'explorer' }[process.platform as string] || 'xdg-open';
  const child = spawn(command, [address], { env, stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
