import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { type Bulk, findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { memoizeByIdentity } from '../../../kernel/memo.ts';
import { latestWork } from '../../job/rows.ts';
import { isDeployed } from '../state-model.ts';
import { sameDeployments, setDeployedImages } from './deployment-rows.ts';
import {
  type DeployedImageRow,
  type DeployedImages,
  deployedImageFields,
  digestRun,
  type ImageWork,
  imagesToResolve,
  imagesToRun,
  noteOf,
  type PinnedImages,
  type PlannedImage,
  type RunImage,
  type Unchanged,
  unchangedNote,
  withSameImage,
} from './image-model.ts';
import {
  askNone,
  compare,
  findOut,
  type ImageScene,
  knownOf,
  notYetAsked,
  runsImages,
} from './prepared-reads.ts';

type Component = Row<'Component'>;

interface JobScene extends ImageScene {
  /** Which releases are brought back or promoted. */
  origins?: PinnedImages | undefined;
}

type Work = Pick<ImageWork<Component>, 'deployed' | 'restarted'>;

export async function deployedImages(
  write: Bulk,
  ids: readonly string[],
): Promise<Map<string, DeployedImageRow>> {
  const rows = await findByKeys(write, 'Deployment', 'id', ids, ['id'], { fields: [...deployedImageFields] });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The images of components that a job deploys or restarts, by the ids of components. Empty if the region runs none. Those of
 * restarts are left out that stay as they are.
 */
export const imagesOf = async (
  write: Write<Context>,
  scene: JobScene,
  work: Work,
): Promise<ReadonlyMap<string, RunImage>> =>
  runsImages(write.context, scene)
    ? (await imagesAndBefore(write, scene, work, { isCompared: false })).images
    : new Map();

/**
 * The images of a job, and those that its components have. What is not known of images is needed beforehand; if what is deployed is
 * compared with the cluster, that as well.
 */
async function imagesAndBefore(
  write: Write<Context>,
  scene: JobScene,
  { deployed, restarted }: Work,
  { isCompared }: { isCompared: boolean },
): Promise<{ images: Map<string, RunImage>; before: DeployedImages }> {
  const { context, prepared, needs, tx } = write;
  const all = [...deployed, ...restarted];
  if (all.length === 0) return { images: new Map(), before: new Map() };
  const before = await deployedImages(
    write,
    all.map(({ id }) => id),
  );
  const work = { deployed, restarted, pinned: scene.origins };
  const needed = imagesToResolve(work, before);
  if (tx.asksNobody) {
    // The answer would have what the credential of the team can see, and the caller chooses the host that is asked.
    askNone(prepared, needed, 'Trellis only asks registries for callers who can deploy.');
  }
  if (notYetAsked(context, prepared, needed).length > 0) {
    const isPlan = tx.isDryRun ?? false;
    needs.add((later) => findOut(context, scene, later, { work, before, isPlan, isCompared }));
  }
  const images = imagesToRun(work, before, knownOf(prepared).images);
  for (const component of all) {
    const image = images.get(component.id);
    if (image) note(write, component, image, noteOf(image));
  }
  return { images, before };
}

/** The images that a run of a change deploys, or would deploy, by the ids of components. */
const deployedBy = memoizeByIdentity((_: Write['needs']) => new Map<string, PlannedImage>());

/** Takes note of an image for the plan of the change. */
function note(write: Write, { id, name }: Component, image: RunImage, text: string | null): void {
  const { image: reference, resolvedAt } = image;
  const digest = digestRun(image) ?? null;
  const planned = { componentId: id, component: name, reference, digest, resolvedAt, note: text };
  deployedBy(write.needs).set(id, planned);
}

/** The images that a change deploys or, in a dry run, would deploy. */
export const plannedImages = ({ needs }: Pick<Write, 'needs'>): PlannedImage[] => [
  ...deployedBy(needs).values(),
];

/**
 * Which components a deploy would not change, and what it says of them, by their ids: they run and are ready, and the cluster
 * has the image and the configuration that would be deployed. The components are locked.
 */
export async function unchangedOf(
  write: Write<Context>,
  scene: JobScene,
  components: readonly Component[],
): Promise<Map<string, Unchanged>> {
  const unchanged = new Map<string, Unchanged>();
  if (!runsImages(write.context, scene) || !components.some(isDeployed) || write.tx.asksNobody) {
    return unchanged;
  }
  const work = { deployed: components, restarted: [] };
  const { images, before } = await imagesAndBefore(write, scene, work, { isCompared: true });
  const same = withSameImage(components, images, before);
  const matching = matchingAmong(write, scene, same);
  const works = await latestWork(
    write,
    same.map(({ id }) => id),
  );
  const likely = same.filter(({ id, generation }) => {
    const { status, state } = works.get(id) ?? {};
    return status === 'succeeded' && state === 'running' && matching.get(id) === generation;
  });
  for (const id of await sameDeployments(write, likely)) {
    const image = images.get(id)!;
    unchanged.set(id, { note: unchangedNote(image), image });
    note(write, likely.find((each) => each.id === id)!, image, unchangedNote(image));
  }
  const pins = [...unchanged].filter(([id, { image }]) => image.isPinned !== before.get(id)!.isPinned);
  await setDeployedImages(write, new Map(pins.map(([id, { image }]) => [id, image])));
  return unchanged;
}

/** The generation of each component that the cluster has as it would be deployed, as compared before the transaction. */
function matchingAmong(
  { context, prepared, needs }: Write<Context>,
  scene: ImageScene,
  components: readonly Component[],
): ReadonlyMap<string, number> {
  const { compared, matching } = knownOf(prepared);
  if (components.some(({ id }) => !compared.has(id))) {
    needs.add((later) => compare(context, scene, later, components));
  }
  return matching;
}
