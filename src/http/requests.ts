import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestBudget } from '../kernel/budget.ts';
import { decrease, increase } from '../kernel/counts.ts';
import { type ApiError, RateLimitedError, UnavailableError } from '../kernel/errors.ts';
import type { Holder } from '../kernel/limiter.ts';
import { type BodyLimit, type ReadBody, readBytes } from './body.ts';
import { networkOf } from './client-address.ts';
import type { HttpLimits } from './http-limits.ts';
import { WorkQueue } from './work-queue.ts';

/** Counts the requests in progress, in total and of each caller, and runs a limited number of them at once. */
export interface RequestsUnderWay {
  /** Counts a request for its address until its user is known or its response is closed. Returns why it is refused, and does not count it, if there are too many. */
  begin(res: ServerResponse, address: string): ApiError | undefined;
  /**
   * Counts a request as one of the user, and resolves when it may go on: undefined if it may now. Throws RATE_LIMITED if the user has
   * too many, and UNAVAILABLE once the client has left.
   */
  admit(res: ServerResponse, callerId: string | number): Promise<void> | undefined;
  /** Charges the body of the request to a budget, when it is read. */
  chargeBody(res: ServerResponse, budget: RequestBudget): void;
  /**
   * Reads the body of a request. While it has not arrived, the request takes nothing that others wait for. Throws
   * UNAVAILABLE if there are too many requests then.
   */
  readBody: ReadBody;
  /** Stops counting a request whose response is a stream, which has a limit of its own. */
  release(res: ServerResponse): void;
  /** Runs the work of a request to its end, even if the client disconnects. It goes on when it is admitted. */
  run(res: ServerResponse, answer: () => Promise<void>): void;
  /** Runs work that does not wait for other work. */
  runAtOnce(answer: () => Promise<void>): void;
  /** A connection was accepted. */
  accepted(): void;
  /** Resolves when no tracked work is running. */
  settled(): Promise<void>;
}

export type RequestLimits = Pick<
  HttpLimits,
  'maxRequests' | 'maxActive' | 'maxRequestsPerUser' | 'maxRequestsPerAddress'
> & { bodyLimitBytes: number };

/** A request whose response is not closed. */
interface UnderWay {
  address: string;
  callerId: string | number | undefined;
  /** Whether its body has not arrived. */
  isArriving: boolean;
  /** Whether its body arrives without a user. */
  isOfStranger: boolean;
  /** The received length of the body, in bytes. */
  arrived: number;
  work: Holder | undefined;
  budget: RequestBudget | undefined;
}

export function createRequestsUnderWay(limits: RequestLimits): RequestsUnderWay {
  const { maxRequests, maxRequestsPerUser, maxRequestsPerAddress, bodyLimitBytes } = limits;
  const queue = new WorkQueue(limits.maxActive);
  const open = new Map<ServerResponse, UnderWay>();
  let arriving = 0;
  let arrivedBytes = 0;
  const ofAddress = new Map<string, number>();
  const ofUser = new Map<string | number, number>();
  /** Bodies that arrive without a user, by address. */
  const ofStrangers = new Map<string, number>();

  const endArrival = (own: UnderWay) => {
    if (!own.isArriving) return;
    own.isArriving = false;
    arriving--;
    arrivedBytes -= own.arrived;
    if (own.isOfStranger) decrease(ofStrangers, own.address);
  };
  const release = (res: ServerResponse) => {
    const own = open.get(res);
    if (!own) return;
    open.delete(res);
    endArrival(own);
    if (own.callerId === undefined) decrease(ofAddress, own.address);
    else decrease(ofUser, own.callerId);
  };

  /** Waits for the body first, and then for its turn to continue. */
  const arrive = async (
    req: IncomingMessage,
    res: ServerResponse,
    { own, limit }: { own: UnderWay; limit: BodyLimit },
  ): Promise<Buffer> => {
    if (own.callerId === undefined && own.address !== '') {
      // The rest is left for users, and for those who sign in.
      if ((ofStrangers.get(own.address) ?? 0) >= maxRequestsPerAddress / 2) {
        throw tooManyOf('client address', 'MAX_REQUESTS_PER_ADDRESS');
      }
      increase(ofStrangers, own.address);
      own.isOfStranger = true;
    }
    arriving++;
    own.isArriving = true;
    if (own.work) queue.pause(own.work);
    const body = await readBytes(req, limit, (bytes) => {
      // The client has disconnected.
      if (!own.isArriving) return undefined;
      own.arrived += bytes;
      arrivedBytes += bytes;
      return arrivedBytes > maxRequests * bodyLimitBytes ? tooMany() : undefined;
    });
    if (open.size - arriving >= maxRequests) throw tooMany();
    endArrival(own);
    if (own.work) await queue.resume(own.work, closedOf(res));
    return body;
  };

  return {
    begin(res, address) {
      if (open.size - arriving >= maxRequests) return tooMany();
      const network = networkOf(address);
      // Clients on a Unix socket have no address.
      if (network !== '' && (ofAddress.get(network) ?? 0) >= maxRequestsPerAddress) {
        return tooManyOf('client address', 'MAX_REQUESTS_PER_ADDRESS');
      }
      increase(ofAddress, network);
      open.set(res, {
        address: network,
        callerId: undefined,
        isArriving: false,
        isOfStranger: false,
        arrived: 0,
        work: undefined,
        budget: undefined,
      });
      res.once('close', () => release(res));
      return undefined;
    },
    admit(res, callerId) {
      if (res.destroyed) throw hasLeft();
      const own = open.get(res);
      if (!own || own.callerId !== undefined) return undefined;
      if ((ofUser.get(callerId) ?? 0) >= maxRequestsPerUser) throw tooManyOf('user', 'MAX_REQUESTS_PER_USER');
      own.callerId = callerId;
      increase(ofUser, callerId);
      // Otherwise, one user could keep out all others at the address.
      decrease(ofAddress, own.address);
      return own.work && queue.enter(own.work, String(callerId), closedOf(res));
    },
    chargeBody(res, budget) {
      const own = open.get(res);
      if (own) own.budget = budget;
    },
    async readBody(req, res, most = bodyLimitBytes) {
      const own = open.get(res);
      const limit: BodyLimit =
        most < bodyLimitBytes ? { bytes: most } : { bytes: bodyLimitBytes, name: 'BODY_LIMIT_KIB' };
      // Most bodies arrive with their headers.
      const body = await (own && !req.complete ? arrive(req, res, { own, limit }) : readBytes(req, limit));
      // Not while it arrives: slow clients would take the memory of others.
      own?.budget?.countBody(body.length);
      return body;
    },
    release,
    run(res, answer) {
      queue.begin((work) => {
        const own = open.get(res);
        if (own) own.work = work;
        return answer();
      });
    },
    runAtOnce: (answer) => queue.runAtOnce(answer),
    accepted: () => queue.accepted(),
    settled: () => queue.settled(),
  };
}

const hasLeft = () => new UnavailableError('The client closed the connection.');

/**
 * Aborted when the response is closed. Requests whose clients have left would otherwise wait for their turns, in any number: they are
 * not counted any more.
 */
function closedOf(res: ServerResponse): () => AbortSignal {
  let signal: AbortSignal | undefined;
  return () => {
    if (!signal) {
      const controller = new AbortController();
      ({ signal } = controller);
      if (res.destroyed) controller.abort(hasLeft());
      else {
        res.once('close', () => {
          if (!res.writableFinished) controller.abort(hasLeft());
        });
      }
    }
    return signal;
  };
}

const tooMany = () =>
  new UnavailableError('Too many requests are in progress. Try again later.', { limit: 'MAX_REQUESTS' });

const tooManyOf = (caller: string, limit: 'MAX_REQUESTS_PER_USER' | 'MAX_REQUESTS_PER_ADDRESS') =>
  new RateLimitedError(
    `Too many requests of this ${caller} are in progress. Wait for some of them.`,
    1,
    limit,
  );
