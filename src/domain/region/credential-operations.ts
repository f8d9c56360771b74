import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { allows, credentialIdOf } from '../../kernel/access.ts';
import { batched, createLoaders } from '../../kernel/batch.ts';
import { createBoundedCache } from '../../kernel/memo.ts';
import { regionById, type SealedField } from './reads.ts';
import { recordCredentialsRead } from './rows.ts';

/** How long reads of the same credentials with the same token are one event, in ms. */
const recordedForMs = 10 * 60_000;

/** The credentials that a token has read of a region, as this process has recorded it. */
const recorded = createBoundedCache<string, true>({ size: 10_000, lifeMs: recordedForMs });

/**
 * Whether the caller may read the credentials of a region: those who may change it may, with tokens that may write. Those who
 * can only read must not get what changes a cluster.
 */
export const mayReadCredentials = (
  { actor }: Pick<Context, 'actor'>,
  region: Pick<Row<'Region'>, 'enterpriseId'>,
): boolean => allows(actor, 'updateRegion', { enterpriseId: region.enterpriseId }) && !actor.isReadOnly;

/**
 * Records that the caller reads the credentials of regions, once for a request and not again for ten minutes: clients that
 * poll a region would fill the record otherwise. What was not recorded is not shown.
 */
const readRecorded = batched(async (context: Context, ids: string[]) => {
  const { db, actor, requestId } = context;
  const regions = (await Promise.all(ids.map((id) => regionById(context, id)))).filter((row) => row !== null);
  // Other credentials are another read.
  const keyOf = ({ id, revision }: Row<'Region'>) => `${credentialIdOf(actor)} ${id} ${revision}`;
  const unrecorded = regions.filter((region) => !recorded.get(keyOf(region)));
  if (unrecorded.length > 0) {
    // Apart from the request, which may be a change with loaders and a result of its own.
    const apart = {
      db,
      actor,
      requestId,
      loaders: createLoaders(),
      ...(context.signal && { signal: context.signal }),
    };
    await change(apart, 'region.read_credentials', async (write) => {
      for (const region of unrecorded) recordCredentialsRead(write, region);
    });
    for (const region of unrecorded) recorded.set(keyOf(region), true, 1);
  }
  return new Map(regions.map(({ id }) => [id, true]));
}, false);

/** A decrypted credential of a region. Null if there is none, and for callers who may not read it. */
export async function credentialOf(
  context: Context,
  region: Row<'Region'>,
  field: SealedField,
): Promise<string | null> {
  const sealed = region[field];
  if (sealed === null || !mayReadCredentials(context, region)) return null;
  return (await readRecorded(context, region.id)) ? context.seal.open(sealed) : null;
}
