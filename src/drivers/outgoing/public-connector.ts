import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { checkedLookup } from './checked-lookup.ts';
import { isPublicAddress } from './public-address.ts';

/** Checks the address that is actually connected to. */
export function publicConnector(
  timeout: number,
  refusal: () => Error,
  isAllowed = isPublicAddress,
): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: checkedLookup(isAllowed, refusal) });
  return (options, callback) => {
    // IP addresses are not looked up.
    if (isIP(options.hostname) === 0 || isAllowed(options.hostname)) connect(options, callback);
    else process.nextTick(() => callback(refusal(), null));
  };
}
