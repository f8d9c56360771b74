import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeConfig, Watch } from '@kubernetes/client-node';
import { Limiter } from '../../../kernel/limiter.ts';
import type { KubernetesRegion, RegionSource } from '../clusters.ts';
import { lookerOf, RegionWorkError } from '../driver.ts';
import { ClusterAgent } from './agent.ts';
import { ClusterError, type List, type ListQuery, type WatchEvent } from './answers.ts';
import { configOf } from './library.ts';
import { type KindName, type KubernetesObject, kinds, pathOf } from './objects.ts';

export interface ApplyOptions {
  /** Takes the fields from their managers. */
  isForced?: boolean;
  /** Answers what the object would be, and stores nothing. */
  isDryRun?: boolean;
  /** The field manager. */
  owner?: string;
}

/** Who applies objects, as the cluster notes it. */
export const fieldManager = 'trellis';
/** Who owns the number of instances between the driver and an autoscaler. */
export const autoscalingManager = 'trellis-autoscaling';
const applyType = 'application/apply-patch+yaml';
/** The longest pause that a server can ask for, in ms. */
const maxPauseMs = 2_000;
/** The connections for requests. The work of jobs has those that looks leave, of which one caller makes few at once. */
const sockets = 16;
const looks = { most: 8, mostOfGroup: 3 };
/** The most answers of a cluster that are read as they come, at once: logs. `Connection` shares them between users. */
export const maxStreams = 500;

/** The largest answer that is read by default, in bytes: a list of ten thousand pods is smaller. */
const defaultMaxAnswerBytes = 128 * 2 ** 20;
/** As much is read of why a log cannot be read, in bytes. */
const maxRefusalBytes = 64 * 1024;

const tooLarge = (maxBytes: number) =>
  new RegionWorkError(`The cluster sent an answer of more than ${maxBytes / 2 ** 20} MiB.`);

interface Given {
  body?: unknown;
  type?: string;
}

interface Answer {
  code: number;
  body: string;
  retryAfterMs: number | undefined;
}

/** How long a server that is busy asks to wait, in ms; undefined if the request is not to be sent again. */
function pauseOf({ statusCode = 0, headers }: IncomingMessage): number | undefined {
  const seconds = Number(headers['retry-after'] ?? (statusCode === 429 ? 1 : Number.NaN));
  return statusCode >= 429 && seconds >= 0 ? seconds * 1_000 : undefined;
}

/**
 * A connection to the API server of a region. Credentials and TLS are those of the official library. Requests for objects
 * are sent on connections that are reused, because the library opens one for each.
 */
export class Client {
  readonly #config: KubeConfig;
  readonly #watch: Watch;
  readonly #agent: Agent;
  /** For answers that stay open, so that other requests have connections. */
  readonly #streams: Agent;
  readonly #headers: Record<string, string>;
  readonly #server: string;
  readonly #maxAnswerBytes: number;
  readonly #looks = new Limiter(looks);

  private constructor(
    config: KubeConfig,
    watch: Watch,
    agents: { pooled: Agent; streams: Agent },
    headers: Record<string, string>,
    maxAnswerBytes: number,
  ) {
    this.#config = config;
    this.#watch = watch;
    this.#agent = agents.pooled;
    this.#streams = agents.streams;
    this.#headers = headers;
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#server = config.getCurrentCluster()!.server;
  }

  static async connect(
    region: KubernetesRegion,
    {
      allowsLocal,
      maxAnswerBytes = defaultMaxAnswerBytes,
    }: Pick<RegionSource, 'allowsLocal' | 'maxAnswerBytes'>,
  ): Promise<Client> {
    const { config, watch } = await configOf(region, allowsLocal);
    const options: { ca?: string; cert?: string; key?: string; headers?: Record<string, string> } = {};
    await config.applyToHTTPSOptions(options);
    const { ca, cert, key } = options;
    const secured = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
    const agents = {
      pooled: new ClusterAgent({ keepAlive: true, maxSockets: sockets, ...secured }, allowsLocal),
      streams: new ClusterAgent({ maxSockets: maxStreams, ...secured }, allowsLocal),
    };
    return new Client(config, watch, agents, options.headers ?? {}, maxAnswerBytes);
  }

  close(): void {
    this.#agent.destroy();
    this.#streams.destroy();
  }

  /** The body of an answer. A server that is busy is asked once more, after the pause that it asks for. */
  send(method: string, path: string, signal: AbortSignal, given: Given = {}): Promise<string> {
    const looker = lookerOf(signal);
    if (looker === undefined) return this.#send(method, path, signal, given);
    return this.#looks.run(looker, () => this.#send(method, path, signal, given), signal);
  }

  async #send(
    method: string,
    path: string,
    signal: AbortSignal,
    { body, type = 'application/json' }: Given,
  ): Promise<string> {
    for (let isAgain = false; ; isAgain = true) {
      let answer: Answer | undefined;
      while (!answer) answer = await this.#once(method, path, signal, body, type);
      if (answer.code < 300) return answer.body;
      if (answer.retryAfterMs === undefined || isAgain) throw new ClusterError(answer.code, answer.body);
      await sleep(Math.min(maxPauseMs, answer.retryAfterMs), undefined, { signal });
    }
  }

  /**
   * Undefined if the server has closed the connection, which was used before, while the request was on its way. Servers and
   * load balancers close idle connections at any time. A POST is not repeated, because it may have been received.
   */
  #once(
    method: string,
    path: string,
    signal: AbortSignal,
    body: unknown,
    type: string,
  ): Promise<Answer | undefined> {
    signal.throwIfAborted();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...this.#headers,
      Accept: 'application/json',
      ...(text !== undefined && { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const fail = (error: Error) => reject(signal.aborted ? signal.reason : error);
      const sent = httpsRequest(
        new URL(this.#server + path),
        { method, headers, agent: this.#agent, signal },
        (response) => {
          isAnswered = true;
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > this.#maxAnswerBytes) response.destroy(tooLarge(this.#maxAnswerBytes));
            else chunks.push(chunk);
          });
          response.on('error', fail);
          response.on('end', () =>
            resolve({
              code: response.statusCode!,
              body: Buffer.concat(chunks).toString(),
              retryAfterMs: pauseOf(response),
            }),
          );
        },
      );
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && !isAnswered;
        if (isStale && method !== 'POST' && !signal.aborted) resolve(undefined);
        else fail(error);
      });
      sent.end(text);
    });
  }

  /** An answer that is read as it comes. Its bytes are not read ahead of the reader. */
  async stream(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    signal.throwIfAborted();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(this.#server + path);
      httpsRequest(url, { headers: this.#headers, agent: this.#streams, signal }, resolve)
        .on('error', (error) => reject(signal.aborted ? signal.reason : error))
        .end();
    });
    if (response.statusCode! < 300) return response;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxRefusalBytes) break;
      chunks.push(chunk);
    }
    throw new ClusterError(response.statusCode!, Buffer.concat(chunks).toString());
  }

  async #json<T>(...args: Parameters<Client['send']>): Promise<T> {
    return JSON.parse(await this.send(...args)) as T;
  }

  get<T = { gitVersion: string }>(path: string, signal: AbortSignal): Promise<T> {
    return this.#json('GET', path, signal);
  }

  post<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
    return this.#json('POST', path, signal, { body });
  }

  /** Whether the cluster has a kind of object. */
  async serves({ apiVersion, plural }: { apiVersion: string; plural: string }, signal: AbortSignal) {
    try {
      const { resources } = await this.get<{ resources: { name: string }[] }>(`/apis/${apiVersion}`, signal);
      return resources.some(({ name }) => name === plural);
    } catch (error) {
      if (error instanceof ClusterError && error.code === 404) return false;
      throw error;
    }
  }

  /** Undefined if there is none. */
  async read(kind: KindName, namespace: string | undefined, name: string, signal: AbortSignal) {
    try {
      return await this.#json<KubernetesObject>('GET', pathOf(kind, namespace, name), signal);
    } catch (error) {
      if (error instanceof ClusterError && error.code === 404) return undefined;
      throw error;
    }
  }

  async list(kind: KindName, signal: AbortSignal, query: ListQuery) {
    const { namespace, ...options } = query;
    const given = Object.entries(options).filter(([, value]) => value);
    const search = given.length
      ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
      : '';
    const list = await this.#json<List>('GET', pathOf(kind, namespace) + search, signal);
    // Lists leave out what is the same for all of their items.
    for (const item of list.items) Object.assign(item, { kind, apiVersion: kinds[kind].apiVersion });
    return list;
  }

  /** Server-side apply. */
  apply(
    object: KubernetesObject,
    signal: AbortSignal,
    { isForced = false, isDryRun = false, owner = fieldManager }: ApplyOptions = {},
  ): Promise<KubernetesObject> {
    const { namespace, name } = object.metadata;
    const query = `?fieldManager=${owner}${isForced ? '&force=true' : ''}${isDryRun ? '&dryRun=All' : ''}`;
    const path = pathOf(object.kind as KindName, namespace, name) + query;
    return this.#json('PATCH', path, signal, { body: object, type: applyType });
  }

  /**
   * Deletes an object if it is still the one that was seen. One that is gone is fine. With `version`, it must not have changed
   * either. Returns whether it was as expected.
   */
  async remove(
    { kind, metadata: { namespace, name, uid } }: KubernetesObject,
    signal: AbortSignal,
    {
      propagationPolicy = 'Background',
      version,
    }: { propagationPolicy?: 'Background' | 'Orphan'; version?: string | undefined } = {},
  ): Promise<boolean> {
    const preconditions = { ...(uid && { uid }), ...(version && { resourceVersion: version }) };
    const body = { propagationPolicy, preconditions };
    try {
      await this.send('DELETE', pathOf(kind as KindName, namespace, name), signal, { body });
    } catch (error) {
      if (!(error instanceof ClusterError && [404, 409].includes(error.code))) throw error;
      return error.code === 404;
    }
    return true;
  }

  /** Watches until it ends, and resolves with the error if there was one. */
  async watch(
    kind: KindName,
    query: Record<string, string | number | boolean>,
    tell: WatchEvent,
    signal: AbortSignal,
  ): Promise<{ error: unknown }> {
    return new Promise((resolve) => {
      let controller: AbortController | undefined;
      const stop = () => controller?.abort();
      const done = (error: unknown) => {
        signal.removeEventListener('abort', stop);
        resolve({ error });
      };
      signal.addEventListener('abort', stop, { once: true });
      void this.#watch.watch(pathOf(kind), query, tell, done).then((started) => {
        controller = started;
        if (signal.aborted) stop();
      }, done);
    });
  }

  /** For the parts of the library that take the connection as a whole. */
  get config(): KubeConfig {
    return this.#config;
  }
}
