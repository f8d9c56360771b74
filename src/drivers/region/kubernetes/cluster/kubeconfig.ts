import type { KubeconfigContent } from '../../clusters.ts';

/** Many more than a kubeconfig of a hundred clusters has. They bound the time of the parser, which is not linear. */
const maxTokens = 8_000;
/** The most characters of a key that an error shows. */
const maxShownLength = 64;

/** A kubeconfig that cannot be used. The message is for the caller. */
class UnsupportedError extends Error {}

type Values = Record<string, unknown>;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value, if it is an object without other keys than the known ones. */
function objectWith(value: unknown, path: string, keys: readonly string[]): Values {
  if (!isValues(value))
    throw new UnsupportedError(path ? `Must have an object as \`${path}\`` : 'Must be a kubeconfig');
  const key = Object.keys(value).find((each) => !keys.includes(each));
  if (key === undefined) return value;
  const name = `${path && `${path}.`}${key.slice(0, maxShownLength)}`;
  throw new UnsupportedError(
    `Must not have \`${name}\`, which is not supported: use ${keys.map((each) => `\`${each}\``).join(', ')}`,
  );
}

/** The entry with the name. Entries that are not used can have anything. */
function entryNamed(list: unknown, name: unknown): Values {
  const entry = Array.isArray(list) && list.find((each) => isValues(each) && each.name === name);
  if (typeof name !== 'string' || !entry) {
    throw new UnsupportedError('Must have a current context with a cluster and a user');
  }
  return entry as Values;
}

/** A text, or null if there is none. */
function textOf(values: Values, key: string): string | null {
  const value = values[key] ?? '';
  if (typeof value !== 'string') throw new UnsupportedError(`Must have a text as \`${key}\``);
  return value || null;
}

/** Decodes base64. Null if the value is empty. */
function decoded(values: Values, key: string): string | null {
  const encoded = textOf(values, key);
  return encoded === null ? null : Buffer.from(encoded, 'base64').toString();
}

async function parsed(text: string): Promise<unknown> {
  const { Lexer, parse } = await import('yaml');
  try {
    let tokens = 0;
    for (const _ of new Lexer().lex(text)) {
      tokens += 1;
      if (tokens > maxTokens) break;
    }
    if (tokens <= maxTokens) return parse(text, { maxAliasCount: 0, prettyErrors: false });
  } catch {
    throw new UnsupportedError('Must be a kubeconfig in YAML or JSON, without aliases');
  }
  throw new UnsupportedError('Must be shorter: give the cluster, the user and the context alone');
}

const topKeys = [
  'apiVersion',
  'kind',
  'preferences',
  'extensions',
  'clusters',
  'contexts',
  'users',
  'current-context',
];
const contextKeys = ['cluster', 'user', 'namespace', 'extensions'];
const clusterKeys = ['server', 'certificate-authority-data', 'extensions'];
const userKeys = ['token', 'client-certificate-data', 'client-key-data', 'extensions'];

function contentOf(config: unknown): KubeconfigContent {
  const fields = objectWith(config, '', topKeys);
  const { context: current } = entryNamed(fields.contexts, fields['current-context']);
  const context = objectWith(current, 'contexts[].context', contextKeys);
  const cluster = objectWith(
    entryNamed(fields.clusters, context.cluster).cluster,
    'clusters[].cluster',
    clusterKeys,
  );
  const user = objectWith(entryNamed(fields.users, context.user).user, 'users[].user', userKeys);
  const url = textOf(cluster, 'server') ?? '';
  if (!/^https:\/\/[^/@]+\/?$/.test(url) || !URL.canParse(url)) {
    throw new UnsupportedError('Must have a server with an https address');
  }
  const credentials = {
    token: textOf(user, 'token'),
    caCertificate: decoded(cluster, 'certificate-authority-data'),
    clientCertificate: decoded(user, 'client-certificate-data'),
    clientKey: decoded(user, 'client-key-data'),
  };
  if (!credentials.token && !(credentials.clientCertificate && credentials.clientKey)) {
    throw new UnsupportedError('Must have a token, or a client certificate with its key');
  }
  return { url, credentials };
}

/**
 * The address and the credentials of the current context, or what is not supported about it. The text is parsed here, and
 * only known keys are read: the client library would read files and start programs that a kubeconfig names.
 */
export async function readKubeconfig(text: string): Promise<KubeconfigContent | string> {
  try {
    return contentOf(await parsed(text));
  } catch (error) {
    if (error instanceof UnsupportedError) return error.message;
    throw error;
  }
}
