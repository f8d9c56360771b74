import { isUrl } from '../../kernel/validate.ts';
import { issuerSchemes } from './addresses.ts';
import type { TokenIssuers } from './driver.ts';

/** Issuers over HTTP. What they need is loaded for the first token: a gateway starts without, and most never exchange one. */
export function createTokenIssuersOnDemand(options: { allowPrivate: boolean }): TokenIssuers {
  const schemes = issuerSchemes(options.allowPrivate);
  let loading: Promise<TokenIssuers> | undefined;
  const load = () => {
    loading ??= import('./http.ts').then(({ createHttpTokenIssuers }) => createHttpTokenIssuers(options));
    // Tried again, as after files could not be opened.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    supports: (issuer) => isUrl(issuer, schemes),
    read: async (text) => (await load()).read(text),
    check: async (token, group) => (await load()).check(token, group),
  };
}
