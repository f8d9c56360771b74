import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { writeWhole } from './out.ts';

/** A gateway, and the token that its requests have. */
export interface Connection {
  url: string;
  token: string;
}

const fileOf = ({ env, home }: Context) =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'trellis', 'credentials.json');

/** The address without what follows its path. */
export function gatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Failure(`${text} is not the URL of a gateway.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

async function stored(file: string): Promise<Partial<Connection>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<Connection>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Failure(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Keeps a connection for the next commands. Nobody else can read the file. Returns its path. */
export async function store(context: Context, connection: Connection): Promise<string> {
  const file = fileOf(context);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, `${JSON.stringify(connection, null, 2)}\n`);
  return file;
}

/** The connection of the environment or, without one, of the last login. */
export async function connection(context: Context): Promise<Connection> {
  const { TRELLIS_URL, TRELLIS_TOKEN } = context.env;
  const credentials = TRELLIS_URL && TRELLIS_TOKEN ? {} : await stored(fileOf(context));
  const url = TRELLIS_URL || credentials.url;
  // A stored token is not sent to another gateway.
  const token =
    TRELLIS_TOKEN ||
    (url && credentials.url && gatewayUrl(url) === gatewayUrl(credentials.url)
      ? credentials.token
      : undefined);
  if (!url)
    throw new Failure('There is no gateway. Run `trellis login URL`, or set TRELLIS_URL and TRELLIS_TOKEN.');
  if (!token)
    throw new Failure(`There is no token for ${url}. Run \`trellis login ${url}\`, or set TRELLIS_TOKEN.`);
  return { url: gatewayUrl(url), token };
}
