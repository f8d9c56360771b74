import { expect } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Services } from '../../src/context.ts';
import { createLog } from '../../src/kernel/log.ts';
import { close, listen, open, prepare } from '../../src/open.ts';
import { endProcesses, type TrellisProcess } from './process.ts';
import { send } from './send.ts';
import { createDatabase, createMigratedDatabase, databaseKind } from './trellis.ts';

const drops: (() => Promise<void>)[] = [];

/** Ends what a test left behind, and removes its databases. */
export async function endStarts(): Promise<void> {
  await endProcesses();
  await Promise.all(drops.splice(0).map((drop) => drop()));
}

export const secretKey = 'cd'.repeat(32);

/** The settings of an empty database. */
export async function emptyDatabase(): Promise<Record<string, string> & { DATABASE_URL: string }> {
  const { url, drop } = await createDatabase();
  drops.push(drop);
  return { DATABASE_URL: url, ...(databaseKind === 'postgres' && { SECRET_KEY: secretKey }) };
}

/** The settings of a database with every table and no row, for tests that are not about the first start. */
export async function migratedDatabase(): Promise<Record<string, string> & { DATABASE_URL: string }> {
  const { url, drop } = await createMigratedDatabase();
  drops.push(drop);
  return { DATABASE_URL: url, SECRET_KEY: secretKey };
}

export const viewer = JSON.stringify({ query: '{ viewer { user { email } } }' });
export const ask = (url: string, token: string, body = viewer) => send({ url, adminToken: token }, { body });

export async function stop(trellis: TrellisProcess): Promise<void> {
  trellis.child.kill('SIGTERM');
  expect(await trellis.ended).toBe(0);
}

const configOf = (settings: Record<string, string>) => readConfig({ PORT: '0', ...settings });

/**
 * Prepares a database as a start with these settings does before it listens, in this process. Resolves with the first token,
 * if it made one, and rejects with the reason that a start would print.
 */
export const prepareHere = async (settings: Record<string, string>): Promise<string | undefined> =>
  prepare(configOf(settings), createLog('silent'));

/** A gateway in this process. */
export interface Gateway {
  url: string;
  services: Services;
  /** The lines of its log, parsed. */
  log(): Record<string, any>[];
  stop(): Promise<void>;
}

/** A gateway with these settings and no others in this process, with its workers: as `npm start`, without its process. */
export async function startHere(settings: Record<string, string>): Promise<Gateway> {
  const config = configOf(settings);
  const lines: Record<string, any>[] = [];
  const log = createLog(config.logLevel, { write: (line) => lines.push(JSON.parse(line)) });
  const { services } = await open(config, log);
  const { server, url } = await listen(services, config);
  return { url, services, log: () => lines, stop: () => close(server, services, config.shutdownTimeoutMs) };
}

/** A start that fails must say why in words, and nothing else. */
export async function expectRefusal(trellis: TrellisProcess, ...words: (string | RegExp)[]) {
  expect(await trellis.ended).toBe(1);
  const { stdout, stderr } = trellis.output();
  expect(trellis.log().some(({ msg }) => msg === 'listening')).toBe(false);
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).not.toMatch(/^\s+at |node:internal|\.[jt]s:\d|undefined/m);
  expect(stderr.endsWith('\n')).toBe(true);
  return { stdout, stderr };
}
