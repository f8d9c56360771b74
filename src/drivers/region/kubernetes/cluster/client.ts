import type { IncomingMessage } from 'node:http';
import type { KubeConfig, Watch } from '@kubernetes/client-node';
import type { KubernetesRegion, RegionSource } from '../../clusters.ts';
import { fieldManager, type KindName, type KubernetesObject, kinds, pathOf } from '../objects/objects.ts';
import { ClusterAgent } from './agent.ts';
import { hasCode, type List, type ListQuery, metadataTypes, type WatchEvent } from './answers.ts';
import { configOf } from './library.ts';
import type { Reachability } from './reachability.ts';
import { Transport } from './transport.ts';

export interface ApplyOptions {
  /** Takes the fields from their managers. */
  isForced?: boolean;
  /** Answers what the object would be, and stores nothing. */
  isDryRun?: boolean;
  /** The field manager. */
  owner?: string;
}

const applyType = 'application/apply-patch+yaml';
/** The connections for requests. The work of jobs has those that looks leave, of which one caller makes few at once. */
const sockets = 16;
const looks = { most: 8, mostOfGroup: 3 };
/** The most answers of a cluster that are read as they come, at once: logs. `Connection` shares them between users. */
export const maxStreams = 500;

/**
 * A connection to the API server of a region. Credentials and TLS are those of the official library. Requests for objects
 * are sent on connections that are reused, because the library opens one for each.
 */
export class Client {
  readonly #config: KubeConfig;
  readonly #watches: { whole: Watch; metadata: Watch };
  readonly #transport: Transport;

  private constructor(config: KubeConfig, watches: { whole: Watch; metadata: Watch }, transport: Transport) {
    this.#config = config;
    this.#watches = watches;
    this.#transport = transport;
  }

  static async connect(
    region: KubernetesRegion,
    { allowsLocal, maxAnswerBytes }: Pick<RegionSource, 'allowsLocal' | 'maxAnswerBytes'>,
    reachability?: Reachability,
  ): Promise<Client> {
    const { config, watch, metadataWatch } = await configOf(region, allowsLocal);
    const options: { ca?: string; cert?: string; key?: string; headers?: Record<string, string> } = {};
    await config.applyToHTTPSOptions(options);
    const { ca, cert, key, headers = {} } = options;
    const secured = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
    const transport = new Transport({
      server: config.getCurrentCluster()!.server,
      headers,
      agent: new ClusterAgent({ keepAlive: true, maxSockets: sockets, ...secured }, allowsLocal),
      streams: new ClusterAgent({ maxSockets: maxStreams, ...secured }, allowsLocal),
      ...{ looks, maxAnswerBytes, reachability },
    });
    return new Client(config, { whole: watch, metadata: metadataWatch }, transport);
  }

  close(): void {
    this.#transport.close();
  }

  /** The body of an answer. */
  send(...request: Parameters<Transport['send']>): Promise<string> {
    return this.#transport.send(...request);
  }

  /** An answer that is read as it comes. */
  stream(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    return this.#transport.stream(path, signal);
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
      if (hasCode(error, 404)) return false;
      throw error;
    }
  }

  /** An object with its kind, which not every answer names. Undefined if there is none. */
  async read(kind: KindName, namespace: string | undefined, name: string, signal: AbortSignal) {
    try {
      const object = await this.#json<KubernetesObject>('GET', pathOf(kind, namespace, name), signal);
      return Object.assign(object, { kind });
    } catch (error) {
      if (hasCode(error, 404)) return undefined;
      throw error;
    }
  }

  list(kind: KindName, signal: AbortSignal, query: ListQuery): Promise<List> {
    return this.#list(kind, signal, query);
  }

  /** A list of objects without anything but their metadata. */
  listMetadata(kind: KindName, signal: AbortSignal, query: ListQuery): Promise<List> {
    return this.#list(kind, signal, query, metadataTypes.list);
  }

  async #list(kind: KindName, signal: AbortSignal, query: ListQuery, accept?: string): Promise<List> {
    const { namespace, ...options } = query;
    const entries = Object.entries(options).filter(([, value]) => value);
    const search = entries.length
      ? `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`
      : '';
    const path = pathOf(kind, namespace) + search;
    const list = await this.#json<List>('GET', path, signal, { ...(accept && { accept }) });
    // Lists leave out what is the same for all of their items, and those of metadata do not name the kind.
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
      if (!hasCode(error, 404, 409)) throw error;
      return error.code === 404;
    }
    return true;
  }

  /** Watches until it ends, and resolves with the error if there was one. `part` is what events have of objects. */
  async watch(
    kind: KindName,
    query: Record<string, string | number | boolean>,
    tell: WatchEvent,
    signal: AbortSignal,
    part: 'whole' | 'metadata' = 'whole',
  ): Promise<{ error: unknown }> {
    return new Promise((resolve) => {
      let controller: AbortController | undefined;
      const stop = () => controller?.abort();
      const done = (error: unknown) => {
        signal.removeEventListener('abort', stop);
        resolve({ error });
      };
      signal.addEventListener('abort', stop, { once: true });
      void this.#watches[part].watch(pathOf(kind), query, tell, done).then((started) => {
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
