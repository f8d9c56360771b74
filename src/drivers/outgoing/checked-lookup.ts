import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Looks up the addresses of a name and refuses those that are not allowed, so that DNS cannot change before the connection. */
export const checkedLookup =
  (isAllowed: (address: string) => boolean, refusal: () => Error): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, options, (error, answer, family) => {
      const addresses = typeof answer === 'string' ? [answer] : (answer ?? []).map(({ address }) => address);
      callback(error ?? (addresses.every(isAllowed) ? null : refusal()), answer, family);
    });
