import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './public-address.ts';

/** Checks the address that is actually connected to, so that DNS cannot change in between. */
export function publicConnector(
  timeout: number,
  refusal: () => Error,
  isAllowed = isPublicAddress,
): buildConnector.connector {
  const checked: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      if (error || addresses.every(isAllowed)) callback(error, found, family);
      else callback(refusal(), found, family);
    });
  const connect = buildConnector({ timeout, lookup: checked });
  return (options, callback) => {
    // IP addresses are not looked up.
    if (isIP(options.hostname) === 0 || isAllowed(options.hostname)) connect(options, callback);
    else process.nextTick(() => callback(refusal(), null));
  };
}
