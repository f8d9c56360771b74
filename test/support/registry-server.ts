import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closerOf } from './close-server.ts';

/** A registry of images on loopback, as far as pulls go. */
export interface RegistryServer {
  /** `127.0.0.1:PORT`, as in image references. */
  host: string;
  requests: { method: string; url: URL; authorization: string | undefined }[];
  /** Gives a tag of `shop/web` another image, and returns its digest. */
  push(tag: string): string;
  close(): Promise<void>;
}

export interface RegistryOptions {
  /** Who gets tokens. Without it, everybody may pull without a token. */
  account?: { username: string; password: string };
  /** How it asks for them. */
  scheme?: 'bearer' | 'basic';
  /** The address that gives tokens, if not its own. */
  realm?: () => string;
  /** Where blobs are, if not here. */
  blobHost?: () => string;
  /** Whether it says in a header what the digest of a manifest is; true by default. */
  sendsDigests?: boolean;
  /** Called before it answers. */
  before?(): Promise<void>;
  /** Answers a request instead. Returns false to leave it. */
  respond?(request: IncomingMessage, response: ServerResponse): boolean;
}

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const config = (architecture: string) =>
  JSON.stringify({
    os: 'linux',
    architecture,
    config: { Env: ['A=b'], ExposedPorts: { '8080/tcp': {}, '53/udp': {}, '443': {} } },
  });
const single = (of: string) =>
  JSON.stringify({ schemaVersion: 2, config: { digest: digestOf(of), size: of.length }, layers: [] });
const platforms = [
  { os: 'linux', architecture: 'amd64' },
  { os: 'linux', architecture: 'arm64', variant: 'v8' },
  { os: 'unknown', architecture: 'unknown' },
];
const manifests = platforms.map(({ architecture }) => single(config(architecture)));
const index = JSON.stringify({
  schemaVersion: 2,
  manifests: platforms.map((platform, at) => ({ digest: digestOf(manifests[at]!), platform })),
});

/** What every registry of a test has, in the repository `shop/web`. */
export const image = { tag: '1.0', digest: digestOf(index), single: digestOf(manifests[0]!) };

const known = new Map([
  ['manifests/1.0', index],
  ['manifests/single', manifests[0]!],
  ...[index, ...manifests].map((text) => [`manifests/${digestOf(text)}`, text] as const),
  ...platforms.map(
    ({ architecture }) => [`blobs/${digestOf(config(architecture))}`, config(architecture)] as const,
  ),
]);

let pushes = 0;

const bearer = 'test-token';
const basicOf = ({ username, password }: { username: string; password: string }) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export async function startRegistry(options: RegistryOptions = {}): Promise<RegistryServer> {
  const { account, scheme = 'bearer', sendsDigests = true } = options;
  const requests: RegistryServer['requests'] = [];
  const contents = new Map(known);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url!, `http://${request.headers.host}`);
    const { authorization } = request.headers;
    requests.push({ method: request.method!, url, authorization });
    await options.before?.();
    if (options.respond?.(request, response)) return;
    const send = (status: number, text = '{}', headers: Record<string, string> = {}) =>
      void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
    if (url.pathname === '/token') {
      const isKnown = !account || authorization === basicOf(account);
      return isKnown ? send(200, JSON.stringify({ token: bearer })) : send(401);
    }
    const [, repository, path] = /^\/v2\/(.+)\/((?:manifests|blobs)\/[^/]+)$/.exec(url.pathname) ?? [];
    const wanted = scheme === 'bearer' ? `Bearer ${bearer}` : account && basicOf(account);
    if (account && authorization !== wanted) {
      const realm = options.realm?.() ?? `http://${request.headers.host}/token`;
      const challenge = `Bearer realm="${realm}",service="test",scope="repository:${repository}:pull"`;
      return send(401, '{}', { 'WWW-Authenticate': scheme === 'bearer' ? challenge : 'Basic realm="test"' });
    }
    const text = repository === 'shop/web' ? contents.get(path!) : undefined;
    if (text === undefined) return send(404);
    if (path!.startsWith('blobs/') && options.blobHost) {
      return send(307, '', { Location: `http://${options.blobHost()}${url.pathname}` });
    }
    const isManifest = path!.startsWith('manifests/');
    return send(200, text, isManifest && sendsDigests ? { 'Docker-Content-Digest': digestOf(text) } : {});
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    push(tag) {
      const pushed = JSON.stringify({ ...JSON.parse(index), annotations: { build: `${++pushes}` } });
      contents.set(`manifests/${tag}`, pushed);
      contents.set(`manifests/${digestOf(pushed)}`, pushed);
      return digestOf(pushed);
    },
    close: closerOf(server),
  };
}
