import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { writeWhole } from './out.ts';

export interface Credentials {
  url: string;
  token: string;
}

/** The team and region that `trellis use` has chosen. */
export interface Place {
  team?: string;
  region?: string;
}

/** A gateway, the token that its requests have, and the place that commands are about. */
export interface Connection extends Credentials {
  place: Place;
}

const fileOf = ({ env, home }: Context, name: string) =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'trellis', name);
const credentialsFile = 'credentials.json';
const placesFile = 'places.json';

/** The address without what follows its path. */
export function gatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Failure(`${text} is not the URL of a gateway.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

async function stored<T>(context: Context, name: string): Promise<Partial<T>> {
  const file = fileOf(context, name);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<T>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Failure(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Nobody else can read the file. Returns its path. */
async function keep(context: Context, name: string, content: object): Promise<string> {
  const file = fileOf(context, name);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

/** Keeps a gateway and its token for the next commands. Returns the path of the file. */
export const store = (context: Context, credentials: Credentials): Promise<string> =>
  keep(context, credentialsFile, credentials);

/** Keeps a place for the next commands at a gateway. */
export async function storePlace(context: Context, url: string, place: Place): Promise<void> {
  await keep(context, placesFile, { ...(await stored<Places>(context, placesFile)), [url]: place });
}

type Places = Record<string, Place>;

/** The connection of the environment or, without one, of the last login. */
export async function connection(context: Context): Promise<Connection> {
  const { TRELLIS_URL, TRELLIS_TOKEN } = context.env;
  const credentials = TRELLIS_URL && TRELLIS_TOKEN ? {} : await stored<Credentials>(context, credentialsFile);
  const url = TRELLIS_URL || credentials.url;
  // A stored token is not sent to another gateway.
  const token =
    TRELLIS_TOKEN ||
    (url && credentials.url && gatewayUrl(url) === gatewayUrl(credentials.url)
      ? credentials.token
      : undefined);
  if (!url)
    throw new Failure('No gateway is set. Run `trellis login URL`, or set TRELLIS_URL and TRELLIS_TOKEN.');
  if (!token)
    throw new Failure(`There is no token for ${url}. Run \`trellis login ${url}\`, or set TRELLIS_TOKEN.`);
  const gateway = gatewayUrl(url);
  const places = await stored<Places>(context, placesFile);
  return { url: gateway, token, place: places[gateway] ?? {} };
}
