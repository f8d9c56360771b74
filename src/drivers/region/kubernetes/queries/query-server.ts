import type { z } from 'zod';
import { ApiError } from '../../../../kernel/errors.ts';
import { parseAnswer } from '../../../outgoing/json.ts';
import { isLocalAddress } from '../../../outgoing/local-address.ts';
import { createTransport, type Peer, type TransportLimits } from '../../../outgoing/transport.ts';
import { headersOf, type QueryTarget } from '../../query-credentials.ts';

/** A call ends before the driver's own timeout, so that its error says what was slow. */
export const queryLimits: TransportLimits = {
  connectTimeoutMs: 2_000,
  callTimeoutMs: 4_000,
  bodyBytes: 512 * 1024,
  redirects: 1,
  retryDelaysMs: [],
};

export interface QueryServerOptions {
  allowsLocal: boolean;
  limits?: Partial<TransportLimits>;
}

/** A kind of server with a query API at addresses that administrators give. */
export interface QueryServer {
  /** The answer to a query, which messages call by its name. Fails with REGION_UNAVAILABLE. */
  ask<S extends z.ZodType>(
    query: { server: QueryTarget; path: string; parameters: Record<string, string>; name?: string },
    answer: S,
    signal: AbortSignal,
  ): Promise<z.output<S>>;
  close(): Promise<void>;
}

/** Queries over HTTP. Addresses are checked as those of clusters are: the server can be in a private network. */
export function createQueryServer(
  { noun, setting }: { noun: string /** The credentials of the region. */; setting: string },
  { allowsLocal, limits }: QueryServerOptions,
): QueryServer {
  const peer: Peer = {
    noun,
    unavailable: (message) => new ApiError('REGION_UNAVAILABLE', message),
    redirectsToOthers: false,
  };
  const transport = createTransport(peer, {
    allowPrivate: allowsLocal,
    isAllowed: (address) => !isLocalAddress(address),
    limits: { ...queryLimits, ...limits },
  });
  return {
    async ask({ server, path, parameters, name }, answer, signal) {
      const url = new URL(server.url);
      url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
      url.search = new URLSearchParams(parameters).toString();
      const { status, text } = await transport.get(url, headersOf(server.credentials), signal);
      if (status === 401 || status === 403) {
        throw peer.unavailable(
          server.credentials
            ? `The ${noun} rejected the \`${setting}\` of the region with status ${status}.`
            : `The ${noun} requires credentials: it responded with status ${status}, and the region has no \`${setting}\`.`,
        );
      }
      if (status !== 200)
        throw peer.unavailable(
          `The ${noun} rejected ${name ? `the ${name}` : 'a query'} with status ${status}.`,
        );
      const result = answer.safeParse(parsed(text));
      if (!result.success) throw peer.unavailable(`The ${noun} sent an invalid answer.`);
      return result.data;
    },
    close: () => transport.close(),
  };
}

/** The value of a JSON text; undefined if it is none, or too large. */
function parsed(text: string): unknown {
  try {
    return parseAnswer(text);
  } catch {
    return undefined;
  }
}
