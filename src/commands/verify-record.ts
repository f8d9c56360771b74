// npm run verify-record [-- --file PATH [--key PATH]]: verifies the seals of the record, in the database or in an export.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { readConfig } from '../config.ts';
import { ExportCheck, ExportFileError } from '../domain/event/export/check-model.ts';
import { keysIn, recordKeys } from '../domain/event/export/line-model.ts';
import type { ChainReport } from '../domain/event/seals/check-model.ts';
import { checkRecord } from '../domain/event/seals/check-reads.ts';
import { recordedEnterprises } from '../domain/event/seals/reads.ts';
import { followRotation } from '../domain/upkeep/keys/reads.ts';
import { linesIn } from '../kernel/lines.ts';
import { createRecordKey } from '../kernel/record-key.ts';
import { createSeal } from '../kernel/seal.ts';
import { keyFileOf } from '../kernel/secret-key.ts';
import { CommandError, options, run, UsageError, withDatabase } from './command.ts';

const usage = `usage: npm run verify-record [-- --file PATH [--key PATH]]
Without --file, verifies the database of the settings. --file verifies an export of /api/v1/export-events, also with gzip.
--key is the public keys of /.well-known/trellis-record.json. Without it, the key follows from SECRET_KEY.`;

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Prints what was found. Returns whether the record is as it was written. */
function show(name: string, { problem, lastSeal, ...report }: ChainReport): boolean {
  const checked = `${plural(report.events, 'event')} and ${plural(report.seals, 'seal')} verified`;
  const until = lastSeal ? `, until ${lastSeal.at.toISOString()}` : '';
  const lines = [`${name}: ${checked}${until}.`];
  if (report.deletedEvents > 0)
    lines.push(`${plural(report.deletedEvents, 'event')} deleted after their time; the seals are there.`);
  if (problem) lines.push(`WRONG: ${problem.message}`);
  else {
    if (lastSeal) lines.push(`Last seal: ${lastSeal.number} ${lastSeal.hash}`);
    lines.push(`${plural(report.unsealedEvents, 'event')} not sealed yet.`);
  }
  process.stdout.write(`${lines.join('\n  ')}\n`);
  return problem === undefined;
}

async function verifyDatabase(): Promise<boolean> {
  let isRight = true;
  await withDatabase(async (db) => {
    const { secretKey, newSecretKey } = readConfig(process.env);
    const seal = createSeal(secretKey, newSecretKey);
    await followRotation(db, seal);
    for (const { id, name } of await recordedEnterprises(db)) {
      isRight = show(`Enterprise ${name}`, await checkRecord(db, id, seal.recordKey)) && isRight;
    }
  });
  return isRight;
}

/** The public keys of a file, or the one that follows from the settings. */
function trusted(path: string | undefined): ReturnType<typeof keysIn> {
  if (path !== undefined) {
    try {
      return keysIn(recordKeys.parse(JSON.parse(readFileSync(path, 'utf8'))));
    } catch {
      throw new CommandError(`${path} does not have the keys of /.well-known/trellis-record.json.`);
    }
  }
  const { SECRET_KEY, SECRET_KEY_FILE, DATABASE_URL: databaseUrl = 'file:trellis.db' } = process.env;
  const keyFile = keyFileOf(process.env, { databaseUrl });
  // Reading the settings would create the file of the key.
  if (!SECRET_KEY && !SECRET_KEY_FILE && !(keyFile && existsSync(keyFile)))
    throw new UsageError('--key is required without SECRET_KEY');
  return { current: createRecordKey(readConfig(process.env).secretKey), retired: [] };
}

async function verifyFile(path: string, keyPath: string | undefined): Promise<boolean> {
  const { current, retired } = trusted(keyPath);
  const check = new ExportCheck(current, retired);
  try {
    const file = createReadStream(path);
    const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
    file.on('error', (error) => input.destroy(error));
    for await (const line of linesIn(input)) {
      if (check.take(line.toString())) return show(path, check.report);
    }
    return show(path, check.end());
  } catch (error) {
    if (error instanceof ExportFileError) throw new CommandError(`${path}: ${error.message}`);
    if ((error as { code?: string }).code === 'ENOENT') throw new CommandError(`There is no file ${path}.`);
    throw error;
  }
}

await run(async () => {
  const { file, key } = options({ file: { type: 'string' }, key: { type: 'string' } });
  if (key !== undefined && file === undefined) throw new UsageError('--key requires --file');
  const isRight = file === undefined ? await verifyDatabase() : await verifyFile(file, key);
  if (!isRight) process.exitCode = 1;
}, usage);
