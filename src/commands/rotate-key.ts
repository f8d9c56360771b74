// npm run rotate-key: re-encrypts all encrypted values with NEW_SECRET_KEY instead of SECRET_KEY.
import { renameSync, writeFileSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import type { Database } from '../db/open.ts';
import { hasOtherConnections } from '../db/other-connections.ts';
import { anySealed, resealAll, UnreadableValueError } from '../db/sealed.ts';
import { change } from '../db/write/change.ts';
import { asTrellis } from '../domain/access-token/bootstrap-operations.ts';
import { retireKey } from '../domain/event/seals/rows.ts';
import { createSeal, type Seal } from '../kernel/seal.ts';
import { keyFileOf, readSecretKey } from '../kernel/secret-key.ts';
import { CommandError, options, run, withDatabase } from './command.ts';

const usage = `usage: SECRET_KEY=… NEW_SECRET_KEY=… npm run rotate-key [-- --force]
NEW_SECRET_KEY_FILE may name a file that holds the new key. Stop every gateway first.
--force goes on although gateways seem to be connected to the database.`;

/** Fails if a gateway is running, which would continue to write with the old key. */
const running = 'Gateways are connected to the database. Stop them first, or add --force.';

await run(async () => {
  const { force } = options({ force: { type: 'boolean', default: false } });
  const config = readConfig(process.env);
  const newKey = readSecretKey(process.env, 'NEW_SECRET_KEY');
  if (newKey.equals(config.secretKey)) throw new CommandError('NEW_SECRET_KEY is the same as SECRET_KEY.');
  const [from, to] = [createSeal(config.secretKey), createSeal(newKey)];

  await withDatabase(
    async (db) => {
      const count = await rotate(db, from, to);
      replaceKeyFile(config, newKey);
      process.stdout.write(
        count === undefined
          ? 'Everything is already encrypted with the new key.\n'
          : `Encrypted ${count} ${count === 1 ? 'value' : 'values'} with the new key.\n`,
      );
    },
    force ? undefined : requireNoGateway,
  );
}, usage);

/** Re-encrypts all values in one transaction. Returns their number, or undefined if an earlier run did it. */
async function rotate(db: Database, from: Seal, to: Seal): Promise<number | undefined> {
  const [enterprise] = await db.query('SELECT id FROM enterprise ORDER BY created_at LIMIT 1', []);
  if (!enterprise) return 0;
  try {
    const context = asTrellis(db, enterprise[0] as string, 'rotate-key command');
    return await change(context, 'secret_key.rotate', async ({ tx, recordEvent }) => {
      if (await tx.recordKey.findUnique({ where: { id: to.recordKey.id } }))
        throw new CommandError('NEW_SECRET_KEY was used before. Take a new key.');
      const count = await resealAll(tx, db, from, to);
      await retireKey(tx, from.recordKey, to.recordKey);
      recordEvent({
        subject: { type: 'Enterprise', id: enterprise[0] as string },
        after: { encryptedValues: count },
      });
      return count;
    });
  } catch (error) {
    if (!(error instanceof UnreadableValueError)) throw error;
    if (opens(to, await anySealed(db))) return undefined;
    throw new CommandError(`${error.message} cannot be decrypted with SECRET_KEY. Nothing was changed.`);
  }
}

function opens(seal: Seal, value: string | undefined): boolean {
  try {
    return value !== undefined && seal.open(value) !== undefined;
  } catch {
    return false;
  }
}

/** Updates the key file next to an SQLite database, if the settings use it. */
function replaceKeyFile(config: Config, key: Buffer): void {
  const path = keyFileOf(process.env, config);
  if (!path) return;
  writeFileSync(`${path}.new`, key.toString('hex'), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

async function requireNoGateway({ databaseUrl }: Config): Promise<void> {
  if (await hasOtherConnections(databaseUrl)) throw new CommandError(running);
}
