/** The challenge of a registry in `WWW-Authenticate`. */
export type Challenge =
  | { scheme: 'basic' }
  | { scheme: 'bearer'; realm: URL; service: string | undefined; scope: string | undefined };

/**
 * The challenge of a response with the status 401; undefined if it is missing or not one of these.
 * @see https://distribution.github.io/distribution/spec/auth/token/
 */
export function challengeOf(header: string | string[] | undefined): Challenge | undefined {
  const texts = typeof header === 'string' ? [header] : (header ?? []);
  for (const text of texts) {
    const match = /^\s*(bearer|basic)\b/i.exec(text);
    if (!match) continue;
    if (match[1]!.toLowerCase() === 'basic') return { scheme: 'basic' };
    const parameters = new Map<string, string>();
    for (const [, name, value] of text.matchAll(/\b([a-z]+)="([^"]*)"/gi)) {
      parameters.set(name!.toLowerCase(), value!);
    }
    const realm = parameters.get('realm') ?? '';
    if (!URL.canParse(realm)) return undefined;
    return {
      scheme: 'bearer',
      realm: new URL(realm),
      service: parameters.get('service'),
      scope: parameters.get('scope'),
    };
  }
  return undefined;
}

/**
 * Whether a registry's credentials may be sent to the server that gives tokens for it: the registry itself, or one beside it
 * in the same domain, such as `auth.docker.io` for `registry-1.docker.io`. Other hosts could be anybody's.
 */
export function mayHaveCredentials(registry: URL, realm: URL): boolean {
  if (realm.host === registry.host) return true;
  if (realm.protocol !== 'https:' || realm.port !== registry.port) return false;
  const parent = registry.hostname.split('.').slice(1);
  if (parent.length < 2 || /^[\d.]+$|:/.test(registry.hostname)) return false;
  const domain = parent.join('.');
  return realm.hostname === domain || realm.hostname.endsWith(`.${domain}`);
}
