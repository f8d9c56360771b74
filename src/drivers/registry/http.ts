import { z } from 'zod';
import { RegistryRefusedError, RegistryUnavailableError } from '../../kernel/errors.ts';
import { nextTurn } from '../../kernel/event-loop.ts';
import { type Answer, createTransport, type Peer, type TransportLimits } from '../outgoing/transport.ts';
import { type Challenge, challengeOf, mayHaveCredentials } from './challenge.ts';
import type { FoundImage, ImageRegistry, RegistryCredentials } from './driver.ts';
import { dockerHub, type ImageReference } from './image.ts';
import { digestOf, imagesOf, isDigest, manifest, parseSent, readConfig } from './manifest.ts';

/** The timeout applies to a call with its redirects, and to all calls about one image. */
const registryLimits: TransportLimits = {
  connectTimeoutMs: 3_000,
  callTimeoutMs: 15_000,
  // The largest manifest that registries have to accept.
  bodyBytes: 4 * 1024 * 1024,
  redirects: 3,
  retryDelaysMs: [100, 300],
};

const peer: Peer = {
  noun: 'registry',
  unavailable: (message, options) => new RegistryUnavailableError(message, options),
  // Registries store the contents of images elsewhere.
  redirectsToOthers: true,
};

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Where Docker Hub has its API. */
const dockerHubHost = 'registry-1.docker.io';

/** Registries on loopback have no TLS, as container runtimes see it. */
const isLoopback = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);

const baseOf = (host: string) =>
  new URL(
    host === dockerHub ? `https://${dockerHubHost}` : `${isLoopback(host) ? 'http' : 'https'}://${host}`,
  );

const basic = ({ username, password }: RegistryCredentials) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const token = z.string().regex(/^[\x21-\x7e]{1,65536}$/);
const tokenAnswer = z.union([z.object({ token }), z.object({ access_token: token })]);

/**
 * Registries over HTTP. `allowPrivate` allows connections to addresses outside the public internet. Tests shorten the
 * limits.
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
export function createHttpRegistry(options: {
  allowPrivate: boolean;
  limits?: Partial<TransportLimits>;
}): ImageRegistry & { close(): Promise<void> } {
  const limits = { ...registryLimits, ...options.limits };
  const transport = createTransport(peer, { ...options, limits });

  /** The value of `Authorization` that the challenge asks for. */
  async function authorizationFor(
    challenge: Challenge | undefined,
    base: URL,
    { repository }: ImageReference,
    credentials: RegistryCredentials | null,
    signal: AbortSignal,
  ): Promise<string> {
    if (challenge?.scheme === 'basic' && credentials) return basic(credentials);
    if (challenge?.scheme !== 'bearer') throw new RegistryRefusedError(401);
    const { realm, service, scope } = challenge;
    const isHttp = realm.protocol === 'https:' || (realm.protocol === 'http:' && base.protocol === 'http:');
    if (!isHttp || realm.username !== '' || realm.password !== '') {
      throw new RegistryUnavailableError('The registry sent an invalid address for tokens.');
    }
    if (credentials && !mayHaveCredentials(base, realm)) {
      throw new RegistryUnavailableError(
        'The registry asks for its credential at a host of another domain. Trellis does not send it there.',
      );
    }
    if (service !== undefined) realm.searchParams.set('service', service);
    realm.searchParams.set('scope', scope ?? `repository:${repository}:pull`);
    const headers: Record<string, string> = credentials ? { Authorization: basic(credentials) } : {};
    const { status, text } = await transport.get(realm, headers, signal);
    if (status !== 200) throw new RegistryRefusedError(status);
    const sent = parseSent(tokenAnswer, text, 'token');
    return `Bearer ${'token' in sent ? sent.token : sent.access_token}`;
  }

  /** Asks for what belongs to an image, with a token if the registry wants one. */
  function asker(
    image: ImageReference,
    credentials: RegistryCredentials | null,
    signal: AbortSignal,
  ): (path: string, accept: string, method?: 'get' | 'head') => Promise<Answer> {
    const base = baseOf(image.host);
    let authorization: string | undefined;
    return async (path, accept, method = 'get') => {
      const url = new URL(`/v2/${image.repository}/${path}`, base);
      const send = () => {
        const headers = { Accept: accept, ...(authorization && { Authorization: authorization }) };
        return transport[method](url, headers, signal);
      };
      const first = await send();
      if (first.status !== 401 || authorization !== undefined) return first;
      const challenge = challengeOf(first.headers['www-authenticate']);
      authorization = await authorizationFor(challenge, base, image, credentials, signal);
      return send();
    };
  }

  async function digestFrom(
    image: ImageReference,
    credentials: RegistryCredentials | null,
    signal: AbortSignal,
  ): Promise<string | null> {
    const ask = asker(image, credentials, signal);
    const path = `manifests/${image.reference}`;
    const { status, headers } = await ask(path, manifestTypes, 'head');
    if (status === 404) return null;
    if (status !== 200) throw new RegistryRefusedError(status);
    const sent = headers['docker-content-digest'];
    if (typeof sent === 'string' && isDigest(sent)) return sent;
    // The header is optional.
    const answer = await ask(path, manifestTypes);
    if (answer.status !== 200) throw new RegistryRefusedError(answer.status);
    await nextTurn();
    return digestOf(answer.text);
  }

  async function look(
    image: ImageReference,
    credentials: RegistryCredentials | null,
    signal: AbortSignal,
  ): Promise<FoundImage | null> {
    const ask = asker(image, credentials, signal);

    async function blob(digest: string): Promise<string> {
      const { status, text } = await ask(`blobs/${digest}`, '*/*');
      if (status !== 200) throw new RegistryRefusedError(status);
      requireDigest(text, digest);
      await nextTurn();
      return text;
    }

    const answer = await ask(`manifests/${image.reference}`, manifestTypes);
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new RegistryRefusedError(answer.status);
    // A manifest can be large, and was received in this turn.
    await nextTurn();
    if (image.reference.startsWith('sha256:')) requireDigest(answer.text, image.reference);
    const digest = digestOf(answer.text);
    const content = parseSent(manifest, answer.text, 'manifest');
    if ('config' in content) return { digest, ...readConfig(await blob(content.config.digest)) };
    const images = imagesOf(content);
    const [first] = images;
    if (!first) return { digest, platforms: [], exposedPorts: [] };
    const { status, text } = await ask(`manifests/${first.digest}`, manifestTypes);
    if (status !== 200) throw new RegistryRefusedError(status);
    requireDigest(text, first.digest);
    const single = parseSent(manifest, text, 'manifest');
    if (!('config' in single)) throw new RegistryUnavailableError('The registry sent an invalid manifest.');
    const { exposedPorts } = readConfig(await blob(single.config.digest));
    return { digest, platforms: images.flatMap(({ platform }) => platform ?? []), exposedPorts };
  }

  /** Bounds the time of all calls about one image. */
  async function inTime<T>(
    signal: AbortSignal | undefined,
    work: (ended: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const late = new RegistryUnavailableError(
      `The registry did not respond within ${limits.callTimeoutMs} ms.`,
      { isLate: true },
    );
    const stop = () => controller.abort(signal!.reason);
    signal?.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => controller.abort(late), limits.callTimeoutMs);
    try {
      return await work(controller.signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  return {
    find: (image, credentials, signal) => inTime(signal, (ended) => look(image, credentials, ended)),
    digest: (image, credentials, signal) => inTime(signal, (ended) => digestFrom(image, credentials, ended)),
    close: () => transport.close(),
  };
}

function requireDigest(text: string, digest: string): void {
  if (digestOf(text) !== digest) {
    throw new RegistryUnavailableError(
      'The registry sent content with another digest than the requested one.',
    );
  }
}
