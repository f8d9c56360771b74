import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Limiter } from '../../../../kernel/limiter.ts';
import { lookerOf, RegionWorkError } from '../../driver.ts';
import { ClusterError } from './answers.ts';
import type { Reachability } from './reachability.ts';

/** The longest pause that a server can ask for, in ms. */
const maxPauseMs = 2_000;
/** The largest answer that is read by default, in bytes: a list of ten thousand pods is smaller. */
const defaultMaxAnswerBytes = 128 * 2 ** 20;
/** As much is read of why a log cannot be read, in bytes. */
const maxRefusalBytes = 64 * 1024;

const tooLarge = (maxBytes: number) =>
  new RegionWorkError(`The cluster sent an answer of more than ${maxBytes / 2 ** 20} MiB.`);

interface SendOptions {
  body?: unknown;
  /** The media types of the body and of the answer. JSON by default. */
  type?: string;
  accept?: string;
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

interface TransportOptions {
  server: string;
  /** With the credentials. */
  headers: Record<string, string>;
  /** For requests, on connections that are reused. */
  agent: Agent;
  /** For answers that stay open, so that other requests have connections. */
  streams: Agent;
  /** The most requests at once of all callers who only look, and of one of them. */
  looks: ConstructorParameters<typeof Limiter>[0];
  maxAnswerBytes?: number | undefined;
  reachability?: Reachability | undefined;
}

/** Sends requests to an API server. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #maxAnswerBytes: number;
  readonly #looks: Limiter;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#looks = new Limiter(options.looks);
    this.#maxAnswerBytes = options.maxAnswerBytes ?? defaultMaxAnswerBytes;
  }

  close(): void {
    this.#options.reachability?.end();
    this.#options.agent.destroy();
    this.#options.streams.destroy();
  }

  /** The body of an answer. A server that is busy is asked once more, after the pause that it asks for. */
  send(method: string, path: string, signal: AbortSignal, options: SendOptions = {}): Promise<string> {
    const looker = lookerOf(signal);
    if (looker === undefined) return this.#send(method, path, signal, options);
    return this.#looks.run(looker, () => this.#send(method, path, signal, options), signal);
  }

  async #send(method: string, path: string, signal: AbortSignal, options: SendOptions): Promise<string> {
    const { reachability } = this.#options;
    for (let isAgain = false; ; isAgain = true) {
      const sentAtMs = performance.now();
      let answer: Answer | undefined;
      while (!answer) answer = await this.#once(method, path, signal, options);
      if (answer.code < 300) {
        reachability?.answered();
        return answer.body;
      }
      const error = new ClusterError(answer.code, answer.body);
      // Another server answers what is asked for metrics.
      const isAway = error.isAway && !path.startsWith('/apis/metrics.k8s.io/');
      if (isAway) reachability?.failed(error, sentAtMs);
      else reachability?.answered();
      if (answer.retryAfterMs === undefined || isAgain) throw error;
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
    { body, type = 'application/json', accept = 'application/json' }: SendOptions,
  ): Promise<Answer | undefined> {
    signal.throwIfAborted();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { server, agent, reachability } = this.#options;
    const headers = {
      ...this.#options.headers,
      Accept: accept,
      ...(text !== undefined && { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const sentAtMs = performance.now();
      const fail = (error: Error) => {
        if (signal.aborted) reachability?.givenUp(signal.reason, sentAtMs);
        else if (!isAnswered) reachability?.failed(error, sentAtMs);
        reject(signal.aborted ? signal.reason : error);
      };
      const sent = httpsRequest(new URL(server + path), { method, headers, agent, signal }, (response) => {
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
      });
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
    const { server, headers, streams } = this.#options;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(server + path);
      httpsRequest(url, { headers, agent: streams, signal }, resolve)
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
}
