import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { ApiError, StoreRefusedError, StoreUnavailableError } from '../../kernel/errors.ts';
import { isPublicAddress } from './public-address.ts';

export interface StoreLimits {
  connectTimeoutMs: number;
  /** The timeout of a call with all redirects and retries, in ms. */
  callTimeoutMs: number;
  bodyBytes: number;
  redirects: number;
  /** The pause before each retry, in ms, plus up to half of it as jitter. */
  retryDelaysMs: readonly number[];
}

export const storeLimits: StoreLimits = {
  connectTimeoutMs: 3_000,
  callTimeoutMs: 15_000,
  bodyBytes: 8 * 1024 * 1024,
  redirects: 3,
  retryDelaysMs: [100, 300],
};

/**
 * STORE_UNAVAILABLE, not INVALID_INPUT, even for the caller who entered the URL: it is only known when
 * connecting, and a stored URL can resolve to another address later, without any input.
 * The address that the name resolves to is not revealed.
 */
const refusal = () => new StoreUnavailableError('The address of the app store is not allowed.');

/** Checks the address that is actually connected to, so that DNS cannot change in between. */
function publicConnector(timeout: number): buildConnector.connector {
  const checked: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      if (error || addresses.every(isPublicAddress)) callback(error, found, family);
      else callback(refusal(), found, family);
    });
  const connect = buildConnector({ timeout, lookup: checked });
  return (options, callback) => {
    // IP addresses are not looked up.
    if (isIP(options.hostname) === 0 || isPublicAddress(options.hostname)) connect(options, callback);
    else process.nextTick(() => callback(refusal(), null));
  };
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

/** The error for a failed connection, without the library's message, which can quote arbitrary data. */
function failure(error: unknown, limits: StoreLimits): unknown {
  // The parser's error does not always have a code, and contains what the store sent.
  if (error instanceof errors.HTTPParserError) {
    return new StoreUnavailableError('The app store sent an invalid HTTP response.');
  }
  const code = codeOf(error);
  if (error instanceof ApiError || code === undefined || code === 'UND_ERR_INVALID_ARG') return error;
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge(limits);
  if (lateFailures.has(code)) {
    return new StoreUnavailableError('The connection to the app store timed out.', { isLate: true });
  }
  return new StoreUnavailableError(`The connection to the app store failed (${code}).`);
}

const tooLarge = ({ bodyBytes }: StoreLimits) =>
  new StoreUnavailableError(`The app store sent more than ${bodyBytes} bytes.`);

/** Discards a response and closes its connection. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {});
  body.destroy();
}

async function read(answer: Dispatcher.ResponseData, limits: StoreLimits): Promise<string> {
  const { 'content-encoding': encoding, 'content-length': length } = answer.headers;
  if (encoding !== undefined && encoding !== 'identity') {
    discard(answer);
    throw new StoreUnavailableError('The app store sent an unsupported content encoding.');
  }
  if (Number(length ?? 0) > limits.bodyBytes) {
    discard(answer);
    throw tooLarge(limits);
  }
  // The agent aborts at the size limit.
  const bytes = await answer.body.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new StoreUnavailableError('The app store sent invalid UTF-8.');
  }
}

/** The URL that a response redirects to. Never another host or port, and never from https to http. */
function redirected(from: URL, answer: Dispatcher.ResponseData): URL {
  const { location } = answer.headers;
  const to =
    typeof location === 'string' && URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (!to)
    throw new StoreUnavailableError(
      `The app store responded with status ${answer.statusCode} without a Location header.`,
    );
  if (to.host !== from.host || (to.protocol !== from.protocol && to.protocol !== 'https:')) {
    throw new StoreUnavailableError('The app store redirected to another host.');
  }
  return to;
}

/** GET with the limits of the app store's protocol. */
export function createStoreTransport(options: { allowPrivate: boolean; limits?: Partial<StoreLimits> }) {
  const limits: StoreLimits = { ...storeLimits, ...options.limits };
  const agent = new Agent({
    connect: options.allowPrivate
      ? buildConnector({ timeout: limits.connectTimeoutMs })
      : publicConnector(limits.connectTimeoutMs),
    // Connections are not reused, because calls are rare and go to many hosts.
    pipelining: 0,
    maxResponseSize: limits.bodyBytes,
  });

  async function attempts(start: URL, headers: Record<string, string>, signal: AbortSignal): Promise<string> {
    let url = start;
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
          method: 'GET',
          headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
          signal,
        });
      } catch (error) {
        if (signal.aborted || !connectionFailures.has(codeOf(error) ?? '') || !mayRetry()) throw error;
        await backOff();
        continue;
      }
      const { statusCode: status } = answer;
      if (status === 200) return read(answer, limits);
      discard(answer);
      if (redirectStatuses.has(status)) {
        url = redirected(url, answer);
        if (++redirects > limits.redirects) {
          throw new StoreUnavailableError(`The app store redirected more than ${limits.redirects} times.`);
        }
      } else if (passingStatuses.has(status) && mayRetry()) {
        await backOff();
      } else if (status >= 400 && status < 500) {
        throw new StoreRefusedError(status);
      } else {
        throw new StoreUnavailableError(`The app store responded with status ${status}.`);
      }
    }
  }

  return {
    /** Returns the body as text. Fails with STORE_REFUSED, STORE_UNAVAILABLE or the reason of the aborted signal. */
    async get(url: URL, headers: Record<string, string>, signal?: AbortSignal): Promise<string> {
      signal?.throwIfAborted();
      const call = new AbortController();
      const stop = () => call.abort();
      const timer = setTimeout(stop, limits.callTimeoutMs);
      signal?.addEventListener('abort', stop, { once: true });
      try {
        return await attempts(url, headers, call.signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (call.signal.aborted) {
          const message = `The app store did not respond within ${limits.callTimeoutMs} ms.`;
          throw new StoreUnavailableError(message, { isLate: true });
        }
        throw failure(error, limits);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
      }
    },

    /** Also ends running calls. */
    close: () => agent.destroy(),
  };
}
