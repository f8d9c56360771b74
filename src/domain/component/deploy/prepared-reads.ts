import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Prepare, Prepared } from '../../../db/write/beforehand.ts';
import { digestIn } from '../../../drivers/registry/image.ts';
import {
  type DeployedImages,
  deployedImageFields,
  type ImageColumns,
  type ImageWork,
  imagesToResolve,
  imagesToRun,
  type Resolution,
  unresolved,
  withSameImage,
} from './image-model.ts';
import { matchingComponents, resolveImages } from './image-reads.ts';

export interface ImageScene {
  team: Pick<Row<'Team'>, 'id'>;
  region: Row<'Region'>;
}

/** Facts that were read before the transaction of a deploy. */
interface Known {
  images: Map<string, Resolution>;
  /** The components that were compared with the cluster. */
  compared: Set<string>;
  /** Those that the cluster has exactly as they were deployed, and their generation then. */
  matching: Map<string, number>;
}

const cacheKey = {};
export function knownOf(prepared: Prepared): Known {
  const facts = prepared.get(cacheKey) as Known | undefined;
  if (facts) return facts;
  const made: Known = { images: new Map(), compared: new Set(), matching: new Map() };
  prepared.set(cacheKey, made);
  return made;
}

/** Whether a region runs images, so that their tags are resolved. */
export const runsImages = ({ drivers }: Context, { region }: ImageScene): boolean =>
  drivers.region.get(region.driver)?.matching !== undefined;

/** Marks the digests of images as unknown, without asking their registries. */
export function askNone(prepared: Prepared, images: Iterable<string>, problem: string): void {
  const { images: known } = knownOf(prepared);
  for (const image of images) known.set(image, unresolved(problem));
}

export function notYetAsked(context: Context, prepared: Prepared, images: ReadonlySet<string>): string[] {
  const { images: known } = knownOf(prepared);
  const missing = [...images].filter((image) => !known.has(image));
  if (context.drivers.registry.digestTimeoutMs > 0) return missing;
  askNone(prepared, missing, 'This gateway asks no registry.');
  return [];
}

/** Asks registries for the digests of images that are not known yet. */
async function findDigests(
  context: Context,
  { team }: ImageScene,
  prepared: Prepared,
  { images, isPlan }: { images: ReadonlySet<string>; isPlan: boolean },
): Promise<void> {
  const missing = notYetAsked(context, prepared, images);
  if (missing.length === 0) return;
  for (const [image, found] of await resolveImages(context, team.id, missing, { isPlan })) {
    knownOf(prepared).images.set(image, found);
  }
}

/** Compares components that are not compared yet with the cluster. */
export async function compare(
  context: Context,
  { region }: ImageScene,
  prepared: Prepared,
  components: readonly ImageColumns[],
): Promise<void> {
  const { compared, matching } = knownOf(prepared);
  const missing = components.map(({ id }) => id).filter((id) => !compared.has(id));
  if (missing.length === 0) return;
  const driver = context.drivers.region.get(region.driver)!;
  const generations = await matchingComponents(context, region, driver, missing);
  for (const id of missing) compared.add(id);
  for (const [id, generation] of generations) matching.set(id, generation);
}

interface Needs {
  work: ImageWork;
  before: DeployedImages;
  isPlan: boolean;
  isCompared: boolean;
}

/**
 * Finds out which digests a job needs and, if what it deploys is compared, which of the components the cluster has exactly as
 * they would be deployed.
 */
export async function findOut(
  context: Context,
  scene: ImageScene,
  prepared: Prepared,
  { work, before, isPlan, isCompared }: Needs,
): Promise<void> {
  await findDigests(context, scene, prepared, { images: imagesToResolve(work, before), isPlan });
  if (!isCompared) return;
  const images = imagesToRun(work, before, knownOf(prepared).images);
  await compare(context, scene, prepared, withSameImage(work.deployed, images, before));
}

/** Finds out before a transaction what the deploy or restart of components will need, as they are now. */
export function beforeDeploy(
  context: Context,
  scene: ImageScene,
  workOf: () => ImageWork | Promise<ImageWork>,
  isPlan: boolean,
): Prepare | undefined {
  if (!runsImages(context, scene)) return undefined;
  return async (prepared) => {
    const work = await workOf();
    const keys = [...work.deployed, ...work.restarted].map(({ id }) => id);
    if (keys.length === 0) return;
    const rows = await context.db.deployment.findManyByKeys({
      by: 'id',
      keys,
      fields: [...deployedImageFields],
    });
    const before = new Map(rows.map((row) => [row.id, row]));
    await findOut(context, scene, prepared, { work, before, isPlan, isCompared: true });
  };
}

/** Asks registries before a transaction for the digests of images that it is expected to deploy. */
export function beforeImages(
  context: Context,
  scene: ImageScene,
  images: Iterable<string>,
  isPlan = false,
): Prepare | undefined {
  if (!runsImages(context, scene)) return undefined;
  const asked = new Set([...images].filter((image) => digestIn(image) === undefined));
  return (prepared) => findDigests(context, scene, prepared, { images: asked, isPlan });
}
