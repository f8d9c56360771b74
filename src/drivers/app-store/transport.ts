import { StoreRefusedError, StoreUnavailableError } from '../../kernel/errors.ts';
import { createTransport, type Peer, type TransportLimits } from '../outgoing/transport.ts';

export type StoreLimits = TransportLimits;

const storeLimits: StoreLimits = {
  connectTimeoutMs: 3_000,
  callTimeoutMs: 15_000,
  bodyBytes: 8 * 1024 * 1024,
  redirects: 3,
  retryDelaysMs: [100, 300],
};

const store: Peer = {
  noun: 'app store',
  unavailable: (message, options) => new StoreUnavailableError(message, options),
  // The access key is for one host.
  redirectsToOthers: false,
};

/** GET with the limits of the app store's protocol. */
export function createStoreTransport(options: { allowPrivate: boolean; limits?: Partial<StoreLimits> }) {
  const transport = createTransport(store, { ...options, limits: { ...storeLimits, ...options.limits } });
  return {
    /** Returns the body as text. Fails with STORE_REFUSED, STORE_UNAVAILABLE or the reason of the aborted signal. */
    async get(url: URL, headers: Record<string, string>, signal?: AbortSignal): Promise<string> {
      const { status, text } = await transport.get(url, headers, signal);
      if (status !== 200) throw new StoreRefusedError(status);
      return text;
    },

    /** Also ends running calls. */
    close: () => transport.close(),
  };
}
