import type { Context } from '../../context.ts';
import { batchedRow, pageOf } from '../../db/list.ts';
import type { Row } from '../../db/tables.ts';
import { digestIn } from '../../drivers/registry/image.ts';
import { currentDigestOf } from '../component/deploy/current-digest-reads.ts';
import { deployedImageFields } from '../component/deploy/image-model.ts';
import { releasesOf } from './reads.ts';

export interface DeployedImage {
  teamId: string;
  /** As it was written. */
  reference: string;
  /** The digest that is run. Null if it is not known. */
  digest: string | null;
  resolvedAt: Date | null;
}

const deployedImageById = batchedRow('Deployment', 'id', [...deployedImageFields]);
const lastOnly = { limit: 1, fromEnd: false };

/** Null before the first deploy. */
export async function deployedImageOf(
  context: Context,
  { id, teamId }: Pick<Row<'Component'>, 'id' | 'teamId'>,
): Promise<DeployedImage | null> {
  const deployment = await deployedImageById(context, id);
  const row =
    deployment?.image == null
      ? // Of a region that carries nothing out, and of an earlier version of Trellis.
        (await pageOf(context, releasesOf(id), lastOnly)).rows[0]
      : { ...deployment, image: deployment.image };
  if (!row) return null;
  const { image, digest, resolvedAt } = row;
  return { teamId, reference: image, digest: digest ?? digestIn(image) ?? null, resolvedAt };
}

/** Whether the tag leads to another image by now. Null if that is not known. */
export async function hasMoved(
  context: Context,
  { teamId, reference, digest, resolvedAt }: DeployedImage,
): Promise<boolean | null> {
  if (digest === null) return null;
  if (digestIn(reference) !== undefined) return false;
  const current = await currentDigestOf(context, reference, teamId);
  if (current === null) return null;
  // A deploy that has asked later knows better than the cache.
  const isNewer = resolvedAt === null || current.askedAt >= resolvedAt;
  return isNewer && current.digest !== digest;
}
