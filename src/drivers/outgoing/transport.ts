import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { ApiError } from '../../kernel/errors.ts';
import { agentOnDemand } from './agent-on-demand.ts';
import { connectionFailure } from './failure-text.ts';

export interface TransportLimits {
  connectTimeoutMs: number;
  /** The timeout of a call with all redirects and retries, in ms. */
  callTimeoutMs: number;
  bodyBytes: number;
  redirects: number;
  /** The pause before each retry, in ms, plus up to half of it as jitter. */
  retryDelaysMs: readonly number[];
}

/** A kind of server at an address that users give, such as an app store. */
export interface Peer {
  /** How messages name it: `app store`. */
  noun: string;
  /** The error when it does not answer, or not as its protocol has it. */
  unavailable(message: string, options?: { isLate: boolean }): ApiError;
  /** Whether redirects to other hosts are followed. These hosts get no `Authorization`. */
  redirectsToOthers: boolean;
}

/** A response with the status 200 or 4xx. The body of the latter is not read, and HEAD has none. */
export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

/** Connection failures, after which a call is retried. */
const connectionFailures = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);
const lateFailures = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const passingStatuses = new Set([502, 503, 504]);
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const codeOf = (error: unknown): string | undefined => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
};

/** Discards a response and closes its connection. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {});
  body.destroy();
}

/** GET and HEAD with limits, from servers whose addresses users give. */
export function createTransport(
  peer: Peer,
  {
    allowPrivate,
    isAllowed,
    limits,
  }: {
    allowPrivate: boolean;
    /** The addresses that may be connected to unless private ones may. Defaults to those of the public internet. */
    isAllowed?: (address: string) => boolean;
    limits: TransportLimits;
  },
) {
  const unavailable = (what: string, options?: { isLate: boolean }) =>
    peer.unavailable(`The ${peer.noun} ${what}`, options);
  const tooLarge = () => unavailable(`sent more than ${limits.bodyBytes} bytes.`);
  /**
   * Unavailable, not INVALID_INPUT, even for the caller who entered the URL: it is only known when connecting, and a stored
   * URL can resolve to another address later, without any input. The address that the name resolves to is not revealed.
   */
  const refusal = () => peer.unavailable(`The address of the ${peer.noun} is not allowed.`);
  const agent = agentOnDemand({
    allowPrivate,
    isAllowed,
    refusal,
    interim: (most) => unavailable(`sent more than ${most} interim responses.`),
    connectTimeoutMs: limits.connectTimeoutMs,
    maxResponseSize: limits.bodyBytes,
  });

  /** The error for a failed connection, without the library's message, which can quote arbitrary data. */
  function failure(error: unknown): unknown {
    // The parser's error does not always have a code, and contains what the server sent.
    if (error instanceof Error && error.name === 'HTTPParserError') {
      return unavailable('sent an invalid HTTP response.');
    }
    const code = codeOf(error);
    if (error instanceof ApiError || code === undefined || code === 'UND_ERR_INVALID_ARG') return error;
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge();
    if (lateFailures.has(code)) {
      return peer.unavailable(`The connection to the ${peer.noun} timed out.`, { isLate: true });
    }
    return peer.unavailable(connectionFailure(peer.noun, code));
  }

  async function read(answer: Dispatcher.ResponseData): Promise<string> {
    const { 'content-encoding': encoding, 'content-length': length } = answer.headers;
    if (encoding !== undefined && encoding !== 'identity') {
      discard(answer);
      throw unavailable('sent an unsupported content encoding.');
    }
    if (Number(length ?? 0) > limits.bodyBytes) {
      discard(answer);
      throw tooLarge();
    }
    // The agent aborts at the size limit.
    const bytes = await answer.body.arrayBuffer();
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw unavailable('sent invalid UTF-8.');
    }
  }

  /** The URL that a response redirects to. Never from https to http. */
  function redirected(from: URL, answer: Dispatcher.ResponseData): URL {
    const { location } = answer.headers;
    const to =
      typeof location === 'string' && URL.canParse(location, from) ? new URL(location, from) : undefined;
    if (!to) throw unavailable(`responded with status ${answer.statusCode} without a Location header.`);
    const isSecure = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
    if (!isSecure || (to.host !== from.host && !peer.redirectsToOthers)) {
      throw unavailable('redirected to another host.');
    }
    return to;
  }

  async function attempts(
    method: 'GET' | 'HEAD',
    start: URL,
    startHeaders: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Answer> {
    let url = start;
    let headers = startHeaders;
    let redirects = 0;
    let retries = 0;
    const mayRetry = () => retries < limits.retryDelaysMs.length;
    const backOff = async () => {
      const delayMs = limits.retryDelaysMs[retries++]!;
      await pause(delayMs * (1 + Math.random() / 2), undefined, { signal });
    };
    for (;;) {
      let answer: Dispatcher.ResponseData;
      try {
        answer = await agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method,
          headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
          signal,
        });
      } catch (error) {
        if (signal.aborted || !connectionFailures.has(codeOf(error) ?? '') || !mayRetry()) throw error;
        await backOff();
        continue;
      }
      const { statusCode: status } = answer;
      if (status === 200 && method === 'GET') {
        return { status, headers: answer.headers, text: await read(answer) };
      }
      discard(answer);
      if (status === 200) return { status, headers: answer.headers, text: '' };
      if (redirectStatuses.has(status)) {
        const next = redirected(url, answer);
        if (next.host !== url.host) {
          const { Authorization: _, ...others } = headers;
          headers = others;
        }
        url = next;
        if (++redirects > limits.redirects) {
          throw unavailable(`redirected more than ${limits.redirects} times.`);
        }
      } else if (passingStatuses.has(status) && mayRetry()) {
        await backOff();
      } else if (status >= 400 && status < 500) {
        return { status, headers: answer.headers, text: '' };
      } else {
        throw unavailable(`responded with status ${status}.`);
      }
    }
  }

  /** Fails with the peer's error or with the reason of the aborted signal. */
  async function ask(
    method: 'GET' | 'HEAD',
    url: URL,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const call = new AbortController();
    const stop = () => call.abort();
    const timer = setTimeout(stop, limits.callTimeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await attempts(method, url, headers, call.signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (call.signal.aborted) {
        throw unavailable(`did not respond within ${limits.callTimeoutMs} ms.`, { isLate: true });
      }
      throw failure(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  return {
    get: (url: URL, headers: Record<string, string>, signal?: AbortSignal) =>
      ask('GET', url, headers, signal),
    head: (url: URL, headers: Record<string, string>, signal?: AbortSignal) =>
      ask('HEAD', url, headers, signal),

    /** Also ends running calls. */
    close: () => agent.destroy(),
  };
}
