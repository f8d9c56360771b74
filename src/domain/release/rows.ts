import { Params } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { type Bulk, deleteByIds, deleteMany, findByKeys, insertMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { ComponentHooks } from '../component/hooks.ts';
import { configurationLimit, maxStoredSpec } from '../component/size/model.ts';
import { largeRelease, maxReleaseBytes, maxReleases } from './model.ts';

/** The number of the last release of each component that has one. */
async function lastNumbers(
  { context, tx }: Write,
  componentIds: readonly string[],
): Promise<Map<string, number>> {
  const params = new Params(context.db.dialect);
  const keys = params.keys(componentIds, 'Release', 'componentId');
  const rows = await tx.$read(
    `SELECT component_id, max(number) FROM component_release WHERE component_id IN (SELECT key FROM ${keys}) GROUP BY component_id`,
    params.values,
  );
  return new Map(rows as [string, number][]);
}

/** The last release of each component that had one at a time, and the number of the first one that is stored. */
export async function releasesAt(
  { context, tx }: Bulk,
  componentIds: readonly string[],
  at: Date,
): Promise<Map<string, { id: number | null; firstNumber: number }>> {
  const params = new Params(context.db.dialect);
  const time = params.add(at);
  const keys = params.keys(componentIds, 'Release', 'componentId');
  const rows = await tx.$read(
    `SELECT component_id, max(CASE WHEN created_at <= ${time} THEN id END), min(number)
     FROM component_release WHERE component_id IN (SELECT key FROM ${keys}) GROUP BY component_id`,
    params.values,
  );
  return new Map(
    (rows as [string, number | null, number][]).map(([componentId, id, firstNumber]) => [
      componentId,
      { id, firstNumber },
    ]),
  );
}

/**
 * Releases with what they deployed. CONFLICT if one has deployed more than a component can have, as earlier versions of Trellis
 * allowed: nothing is read of it.
 */
export async function releasesToDeploy(write: Bulk, ids: readonly number[]): Promise<Row<'Release'>[]> {
  const params = new Params(write.context.db.dialect);
  const large = await write.tx.$read(
    `SELECT r.number, c.name FROM component_release r JOIN component c ON c.id = r.component_id
     WHERE r.id IN (SELECT key FROM ${params.keys(ids, 'Release', 'id')}) AND octet_length(r.sealed_spec) > ${maxStoredSpec}
     ORDER BY r.id LIMIT 1`,
    params.values,
  );
  for (const [number, name] of large) {
    throw new ConflictError(
      `The release ${number} of the component ${name} cannot be deployed: it has more than ${configurationLimit} of files and environment variables.`,
    );
  }
  return findByKeys(write, 'Release', 'id', ids, ['id']);
}

/** Makes a release of each component that is deployed. The components are locked, so that their numbers have no gaps. */
export const releasesOfDeploys: ComponentHooks = {
  async deployed(write, { job, origins, releases }) {
    if (releases.length === 0) return;
    const { userId, serviceAccountId, deployHookId = null } = write.context.actor;
    const last = await lastNumbers(
      write,
      releases.map(({ component }) => component.id),
    );
    const createdAt = new Date();
    const rows = releases.map(({ component: { id, image, version }, sealedSpec, image: run }) => ({
      componentId: id,
      number: (last.get(id) ?? 0) + 1,
      image,
      version,
      digest: run?.digest ?? null,
      resolvedAt: run?.resolvedAt ?? null,
      sealedSpec,
      restoredNumber: origins?.get(id)?.restoredNumber ?? null,
      promotedId: origins?.get(id)?.promotedId ?? null,
      jobId: job.id,
      userId,
      serviceAccountId,
      deployHookId,
      createdAt,
    }));
    await insertMany(write, 'Release', rows);
    const tooOld = rows.filter(({ number }) => number > maxReleases);
    await deleteMany(
      write,
      'Release',
      ['componentId', 'number'],
      tooOld.map(({ componentId, number }) => [componentId, number - maxReleases]),
    );
    const large = rows.filter(({ sealedSpec }) => sealedSpec.length > largeRelease);
    await deleteInSlices(write, await beyondMostBytes(write, large));
  },
  // Deleting megabytes of each component in one statement would block others. Small releases are deleted with their component.
  async deleting(write, components) {
    await deleteInSlices(write, await largeReleases(write, components));
  },
};

type Sized = [id: number, bytes: number];

/** The oldest releases of components that have more bytes than are kept. */
async function beyondMostBytes(
  { context, tx }: Bulk,
  of: readonly { componentId: string }[],
): Promise<Sized[]> {
  if (of.length === 0) return [];
  const params = new Params(context.db.dialect);
  const ids = of.map(({ componentId }) => componentId);
  const keys = params.keys(ids, 'Release', 'componentId');
  const rows = await tx.$read(
    `SELECT id, bytes FROM (
       SELECT id, octet_length(sealed_spec) AS bytes,
         sum(octet_length(sealed_spec)) OVER (PARTITION BY component_id ORDER BY number DESC) AS newer
       FROM component_release WHERE component_id IN (SELECT key FROM ${keys})
     ) AS sized WHERE newer > ${maxReleaseBytes}`,
    params.values,
  );
  return rows as Sized[];
}

async function largeReleases({ context, tx }: Bulk, of: readonly { id: string }[]): Promise<Sized[]> {
  const params = new Params(context.db.dialect);
  const ids = of.map(({ id }) => id);
  const keys = params.keys(ids, 'Release', 'componentId');
  const rows = await tx.$read(
    `SELECT id, octet_length(sealed_spec) FROM component_release
     WHERE component_id IN (SELECT key FROM ${keys}) AND octet_length(sealed_spec) > ${largeRelease}`,
    params.values,
  );
  return rows as Sized[];
}

/** Deletes releases, a few megabytes with each statement. */
async function deleteInSlices(write: Bulk, releases: readonly Sized[]): Promise<void> {
  let slice: number[] = [];
  let size = 0;
  for (const [id, bytes] of releases) {
    slice.push(id);
    size += Number(bytes);
    if (size < maxReleaseBytes) continue;
    await deleteByIds(write, 'Release', slice);
    slice = [];
    size = 0;
  }
  await deleteByIds(write, 'Release', slice);
}
