import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { ApiError, StoreRefusedError, StoreUnavailableError } from '../../kernel/errors.ts';
import { isPublicAddress } from './public-address.ts';

export interface StoreLimits {
  connectTimeoutMs: number;
  /** From the question to the last byte, with all redirects and retries. */
  callTimeoutMs: number;
  bodyBytes: number;
  redirects: number;
  /** The pause before each retry; up to half as much again is added, so that callers do not come back at once. */
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
 * Also for the caller who gave the address this is STORE_UNAVAILABLE and not INVALID_INPUT: it shows only when
 * connecting, and an address that was kept at an install may come to it later, where there is no input to blame.
 * What the name leads to is not told.
 */
const refusal = () => new StoreUnavailableError('The address of the app store is not allowed.');

/** Every address is checked at the moment it is connected to: a name cannot change in between. */
function publicConnector(timeout: number): buildConnector.connector {
  const checked: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      if (error || addresses.every(isPublicAddress)) callback(error, found, family);
      else callback(refusal(), found, family);
    });
  const connect = buildConnector({ timeout, lookup: checked });
  return (options, callback) => {
    // An address in place of a name is not looked up.
    if (isIP(options.hostname) === 0 || isPublicAddress(options.hostname)) connect(options, callback);
    else process.nextTick(() => callback(refusal(), null));
  };
}

/** A failure before any answer that another attempt may not meet. */
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

/** What the caller is told of a failed transport; words of the library, which may quote anything, are left out. */
function failure(error: unknown, limits: StoreLimits): unknown {
  // Its code is not always set, and it holds what the store sent.
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

/** Lets go of an answer unread, and of its connection. */
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
  // The agent counts while it reads, and breaks off at the limit.
  const bytes = await answer.body.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new StoreUnavailableError('The app store sent invalid UTF-8.');
  }
}

/** Where an answer sends on to: never to another host or port, and never from https to http. */
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
    // A connection of its own for each request: calls are rare, and stores of many owners.
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
    /** The text of the answer. Fails with STORE_REFUSED, STORE_UNAVAILABLE or the reason of the aborted signal. */
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

    /** Ends the calls that still run, too. */
    close: () => agent.destroy(),
  };
}
