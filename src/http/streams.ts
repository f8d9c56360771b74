import type { ServerResponse } from 'node:http';
import { decrease, increase } from '../kernel/counts.ts';
import { type ApiError, LimitExceededError, UnavailableError } from '../kernel/errors.ts';
import type { HttpLimits } from './http-limits.ts';
import { type Caller, tokensPerUser } from './rate-limits.ts';

/** A response that stays open. */
interface Stream {
  caller: Caller;
  end(reason: ApiError): void;
  /** Since when the client does not read what was sent. */
  stalledSince: number | undefined;
}

/** A comment, which clients ignore. Proxies and clients learn from it that the connection is still there. */
const heartbeat = ':\n\n';

/** The responses that stay open: their limits, heartbeats and ends. */
export class Streams {
  readonly #limits: HttpLimits;
  readonly #begun: (res: ServerResponse) => void;
  readonly #streams = new Map<ServerResponse, Stream>();
  readonly #ofToken = new Map<string, number>();
  readonly #ofUser = new Map<string | number, number>();
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  /** @param begun called when a response becomes a stream */
  constructor(limits: HttpLimits, begun: (res: ServerResponse) => void = () => {}) {
    this.#limits = limits;
    this.#begun = begun;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Counts a stream until its response is closed. `end` is called if it has to end before. Throws if there are too many. */
  begin(res: ServerResponse, { tokenId, callerId }: Caller, end: (reason: ApiError) => void): void {
    const { maxSubscriptions, maxSubscriptionsPerToken, heartbeatMs } = this.#limits;
    if (this.#isStopping) throw stopping();
    if (this.#streams.size >= maxSubscriptions) {
      throw new UnavailableError('Too many subscriptions are open. Try again later.', {
        limit: 'MAX_SUBSCRIPTIONS',
      });
    }
    const count = this.#ofToken.get(tokenId) ?? 0;
    if (count >= maxSubscriptionsPerToken) {
      throw new LimitExceededError(
        `The access token has ${count} open subscriptions, which is the limit. Close one of them.`,
        'MAX_SUBSCRIPTIONS_PER_TOKEN',
      );
    }
    const ofUser = this.#ofUser.get(callerId) ?? 0;
    if (ofUser >= tokensPerUser * maxSubscriptionsPerToken) {
      throw new LimitExceededError(
        `The user has ${ofUser} open subscriptions with all access tokens, which is the limit. Close one of them.`,
        'MAX_SUBSCRIPTIONS_PER_TOKEN',
      );
    }
    increase(this.#ofToken, tokenId);
    increase(this.#ofUser, callerId);
    this.#streams.set(res, { caller: { tokenId, callerId }, end, stalledSince: undefined });
    this.#begun(res);
    this.#timer ??= setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  /** Stops counting a stream. */
  leave(res: ServerResponse): void {
    const stream = this.#streams.get(res);
    if (!stream) return;
    this.#streams.delete(res);
    decrease(this.#ofToken, stream.caller.tokenId);
    decrease(this.#ofUser, stream.caller.callerId);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    const now = performance.now();
    for (const [res, stream] of this.#streams) {
      if (!res.headersSent) continue;
      if (!res.writableNeedDrain) {
        stream.stalledSince = undefined;
        res.write(heartbeat);
        continue;
      }
      stream.stalledSince ??= now;
      if (now - stream.stalledSince > this.#limits.sendTimeoutMs) {
        stream.end(
          new LimitExceededError('The client reads too slowly. Subscribe again.', 'SEND_TIMEOUT_MS'),
        );
      }
    }
  }

  /** Ends all streams. Further ones are refused. */
  stop(): void {
    this.#isStopping = true;
    for (const { end } of [...this.#streams.values()]) end(stopping());
  }
}

const stopping = () => new UnavailableError('The server is stopping. Subscribe again.');
