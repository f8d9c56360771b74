import { change } from '../../src/db/write/change.ts';
import { asTrellis } from '../../src/domain/access-token/bootstrap-operations.ts';
import { ExportCheck } from '../../src/domain/event/export/check-model.ts';
import type { ChainReport, RetiredKey } from '../../src/domain/event/seals/check-model.ts';
import { checkRecord } from '../../src/domain/event/seals/check-reads.ts';
import { RecordSealer } from '../../src/domain/event/seals/seal-operations.ts';
import { send } from './send.ts';
import { databaseKind, type Trellis } from './trellis.ts';

export const enterpriseOf = async ({ services }: Trellis): Promise<string> =>
  (await services.db.query('SELECT id FROM enterprise ORDER BY created_at LIMIT 1', []))[0]![0] as string;

/** Records events without changing anything else. */
export async function recordEvents(trellis: Trellis, count: number, large = ''): Promise<void> {
  const id = await enterpriseOf(trellis);
  await change(
    asTrellis(trellis.services.db, id, 'sealed record'),
    'demo.create',
    async ({ recordEvent }) => {
      for (let number = 0; number < count; number++)
        recordEvent({ subject: { type: 'Enterprise', id }, after: { number, text: `ä"\u2028\n${large}` } });
    },
  );
}

export const sealerOf = ({ services: { db, seal } }: Trellis) => new RecordSealer({ db, seal });

export const verify = async (trellis: Trellis): Promise<ChainReport> =>
  checkRecord(trellis.services.db, await enterpriseOf(trellis), trellis.services.seal.recordKey);

/** Writes behind the back of the record. */
export const meddle = (trellis: Trellis, text: string): Promise<unknown> =>
  trellis.services.db.transaction((tx) => tx.$executeRawUnsafe(text));

/** Removes what keeps events from being changed, as an administrator of the database can. */
export async function removeTriggers(trellis: Trellis): Promise<void> {
  const names = databaseKind === 'postgres' ? ['event_no_change'] : ['event_no_update', 'event_no_delete'];
  const on = databaseKind === 'postgres' ? ' ON event' : '';
  for (const name of names) await meddle(trellis, `DROP TRIGGER "${name}"${on}`);
}

export async function exportOf(trellis: Trellis, since = ''): Promise<string> {
  const { status, text } = await send(trellis, {
    path: `/api/v1/export-events${since && `?since=${since}`}`,
  });
  if (status !== 200) throw new Error(text);
  return text;
}

export const linesIn = (text: string): any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

export function verifyExport(
  trellis: Trellis,
  text: string,
  retired: readonly RetiredKey[] = [],
): ChainReport {
  const check = new ExportCheck(trellis.services.seal.recordKey, retired);
  for (const line of text.trimEnd().split('\n')) if (check.take(line)) return check.report;
  return check.end();
}
