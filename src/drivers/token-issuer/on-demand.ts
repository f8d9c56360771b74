import { onDemand } from '../../kernel/on-demand.ts';
import { isUrl } from '../../kernel/validate.ts';
import { issuerSchemes } from './addresses.ts';
import type { TokenIssuers } from './driver.ts';

/** Issuers over HTTP. What they need is loaded for the first token: a gateway starts without, and most never exchange one. */
export function createTokenIssuersOnDemand(options: { allowPrivate: boolean }): TokenIssuers {
  const schemes = issuerSchemes(options.allowPrivate);
  const load = onDemand(async () => (await import('./http.ts')).createHttpTokenIssuers(options));
  return {
    supports: (issuer) => isUrl(issuer, schemes),
    read: async (text) => (await load()).read(text),
    check: async (token, group) => (await load()).check(token, group),
  };
}
