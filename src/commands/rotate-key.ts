// npm run rotate-key: encrypts all encrypted values with NEW_SECRET_KEY instead of SECRET_KEY.
import { renameSync, writeFileSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import { runningGateways } from '../db/gateways.ts';
import type { Database } from '../db/open.ts';
import { hasOtherConnections } from '../db/other-connections.ts';
import { keyFileOf, readSecretKey } from '../kernel/secret-key.ts';
import { CommandError, options, run, withDatabase } from './command.ts';
import { rotateKey } from './key-rotation.ts';

const usage = `usage: SECRET_KEY=… NEW_SECRET_KEY=… npm run rotate-key [-- --force]
NEW_SECRET_KEY_FILE may name a file that holds the new key. Stop every gateway first, or start each again with both keys.
A rotation that was interrupted goes on where it was.
--force goes on although gateways seem to be connected to the database that do not have the new key.`;

/** Gateways of an earlier version are in no table. They would continue to write with the old key. */
const connected =
  'Gateways are connected to the database. Stop them first, start them with both keys, or add --force.';

await run(async () => {
  const { force } = options({ force: { type: 'boolean', default: false } });
  const config = readConfig(process.env);
  const newKey = readSecretKey(process.env, 'NEW_SECRET_KEY');
  if (newKey.equals(config.secretKey)) throw new CommandError('NEW_SECRET_KEY is the same as SECRET_KEY.');
  const hasConnections = !force && (await hasOtherConnections(config.databaseUrl));

  await withDatabase(async (db) => {
    const keys = { from: config.secretKey, to: newKey };
    const count = await rotateKey(db, keys, {
      async requireGateways(keyId) {
        if (!force) await requireKey(db, keyId, hasConnections);
      },
      isForced: force,
    });
    replaceKeyFile(config, newKey);
    process.stdout.write(
      count === undefined
        ? 'Everything is already encrypted with the new key.\n'
        : `Encrypted ${count} ${count === 1 ? 'value' : 'values'} with the new key.\n`,
    );
  });
}, usage);

/** Throws unless all gateways that are running have a key. */
async function requireKey(db: Database, keyId: string, hasConnections: boolean): Promise<void> {
  const gateways = await runningGateways((text) => db.query(text, []), db.dialect);
  if (gateways.length === 0 && hasConnections) throw new CommandError(connected);
  const without = gateways.filter(({ keyIds }) => !keyIds.includes(keyId)).map(({ name }) => name);
  if (without.length === 0) return;
  throw new CommandError(
    `Gateways are running without NEW_SECRET_KEY: ${without.join(', ')}. Start them with both keys, stop them, or add --force.`,
  );
}

/** Updates the key file next to an SQLite database, if the settings use it. */
function replaceKeyFile(config: Config, key: Buffer): void {
  const path = keyFileOf(process.env, config);
  if (!path) return;
  writeFileSync(`${path}.new`, key.toString('hex'), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
