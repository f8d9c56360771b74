import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { Beforehand } from '../../../db/write/beforehand.ts';
import { type Bulk, findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { digestIn } from '../../../drivers/registry/image.ts';
import { latestWork } from '../../job/rows.ts';
import type { DeployOrigin } from '../hooks.ts';
import { sameDeployments, setDeployedImages } from './deployment-rows.ts';
import {
  type DeployedImageRow,
  deployedImageFields,
  digestRun,
  imageOfDeploy,
  imageOfRestart,
  isResolvedAtRestart,
  noteOf,
  type PlannedImage,
  type Resolution,
  type RunImage,
  type Unchanged,
  unchangedNote,
  unresolved,
} from './image-model.ts';
import { matchingComponents, resolveImages } from './image-reads.ts';

type Component = Row<'Component'>;

interface ImageScene {
  team: Pick<Row<'Team'>, 'id'>;
  region: Row<'Region'>;
  origins?: ReadonlyMap<string, DeployOrigin> | undefined;
}

/** What was found out before the transaction of a deploy. */
interface Known {
  images: Map<string, Resolution>;
  /** The components that were compared with the cluster. */
  compared: Set<string>;
  /** Those that the cluster has exactly as they were deployed, and their generation then. */
  matching: Map<string, number>;
  /** What is deployed, or would be, by the ids of components. */
  deployed: Map<string, PlannedImage>;
}

const known = {};
const knownOf = (prepared: Write['prepared']): Known => {
  const found = prepared.get(known) as Known | undefined;
  if (found) return found;
  const made: Known = { images: new Map(), compared: new Set(), matching: new Map(), deployed: new Map() };
  prepared.set(known, made);
  return made;
};

const driverOf = (write: Write<Context>, { region }: ImageScene) =>
  write.context.drivers.region.get(region.driver);

/** Whether a region runs images, so that their tags are resolved. */
const runsImages = (write: Write<Context>, scene: ImageScene): boolean =>
  driverOf(write, scene)?.matching !== undefined;

const notAsked: Resolution = { digest: null, resolvedAt: null, problem: null };

/** The digest of the release that a deploy brings back or promotes. */
const pinnedOf = ({ origins }: ImageScene, { id, image }: Component): RunImage | undefined => {
  const { digest, resolvedAt = null } = origins?.get(id) ?? {};
  return digest == null
    ? undefined
    : { image, digest, resolvedAt, problem: null, isPinned: true, pullsAlways: false };
};

/** What components were deployed with last. */
export async function deployedImages(
  write: Bulk,
  ids: readonly string[],
): Promise<Map<string, DeployedImageRow>> {
  const rows = await findByKeys(write, 'Deployment', 'id', ids, ['id'], { fields: [...deployedImageFields] });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Has registries asked, before the transaction is run again, for what is not known of images. */
function requireResolved(
  { context, prepared, tx }: Write<Context>,
  { team }: ImageScene,
  images: readonly string[],
): Map<string, Resolution> {
  const { images: resolved } = knownOf(prepared);
  const asked = new Set(images.filter((image) => digestIn(image) === undefined));
  if (context.drivers.registry.digestTimeoutMs === 0) {
    // Running the transaction again would resolve nothing.
    for (const image of asked) resolved.set(image, unresolved('This gateway asks no registry.'));
  }
  if (tx.asksNobody) {
    // The answer would have what the credential of the team can see, and the caller chooses the host that is asked.
    const problem = 'Registries are asked only for callers who may deploy.';
    for (const image of asked) resolved.set(image, unresolved(problem));
  }
  const missing = [...asked].filter((image) => !resolved.has(image));
  if (missing.length > 0) {
    const isPlan = tx.isDryRun ?? false;
    throw new Beforehand(async (later) => {
      for (const [image, found] of await resolveImages(context, team.id, missing, { isPlan })) {
        knownOf(later).images.set(image, found);
      }
    });
  }
  return resolved;
}

/**
 * The images of components that a job deploys or restarts, by the ids of components. Empty if the region runs none. Those of
 * restarts are left out that stay as they are.
 */
export async function imagesOf(
  write: Write<Context>,
  scene: ImageScene,
  { deployed, restarted }: { deployed: readonly Component[]; restarted: readonly Component[] },
): Promise<Map<string, RunImage>> {
  const images = new Map<string, RunImage>();
  if (!runsImages(write, scene) || deployed.length + restarted.length === 0) return images;
  const ids = [...deployed, ...restarted].map(({ id }) => id);
  const before = await deployedImages(write, ids);
  const again = restarted.flatMap(({ id }) => {
    const row = before.get(id);
    return isResolvedAtRestart(row) ? [row] : [];
  });
  const unpinned = deployed.filter((component) => !pinnedOf(scene, component));
  const resolved = requireResolved(
    write,
    scene,
    [...unpinned, ...again].map(({ image }) => image),
  );
  for (const component of deployed) {
    const { id, image } = component;
    const found = pinnedOf(scene, component);
    images.set(id, found ?? imageOfDeploy(image, resolved.get(image) ?? notAsked, before.get(id)));
  }
  for (const row of again) images.set(row.id, imageOfRestart(row, resolved.get(row.image) ?? notAsked));
  for (const component of [...deployed, ...restarted]) {
    const image = images.get(component.id);
    if (image) note(write, component, image, noteOf(image));
  }
  return images;
}

/** Takes note of an image for the plan of the change. */
function note(write: Write, { id, name }: Component, image: RunImage, text: string | null): void {
  const { image: reference, resolvedAt } = image;
  const digest = digestRun(image) ?? null;
  const planned = { componentId: id, component: name, reference, digest, resolvedAt, note: text };
  knownOf(write.prepared).deployed.set(id, planned);
}

/** The images that a change deploys or, in a dry run, would deploy. */
export const plannedImages = ({ prepared }: Pick<Write, 'prepared'>): PlannedImage[] => [
  ...knownOf(prepared).deployed.values(),
];

/**
 * Which components a deploy would not change, and what it says of them, by their ids: they run and are ready, and the cluster
 * has the image and the configuration that would be deployed. The components are locked.
 */
export async function unchangedOf(
  write: Write<Context>,
  scene: ImageScene,
  components: readonly Component[],
): Promise<Map<string, Unchanged>> {
  const unchanged = new Map<string, Unchanged>();
  const running = components.filter(({ deployState }) => deployState === 'running');
  if (!runsImages(write, scene) || running.length === 0 || write.tx.asksNobody) return unchanged;
  const images = await imagesOf(write, scene, { deployed: components, restarted: [] });
  const before = await deployedImages(
    write,
    running.map(({ id }) => id),
  );
  const same = running.filter(({ id, image }) => {
    const row = before.get(id);
    const next = images.get(id)!;
    if (row?.image !== image || next.problem !== null) return false;
    return digestRun(next) !== undefined && digestRun(next) === digestRun({ ...row, image });
  });
  const matching = requireCompared(write, scene, same);
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

/** Has the cluster compared, before the transaction is run again, with components that may be unchanged. */
function requireCompared(
  { context, prepared }: Write<Context>,
  { region }: ImageScene,
  components: readonly Component[],
): Known['matching'] {
  const { compared, matching } = knownOf(prepared);
  const missing = components.map(({ id }) => id).filter((id) => !compared.has(id));
  if (missing.length > 0) {
    throw new Beforehand(async (later) => {
      const driver = context.drivers.region.get(region.driver)!;
      const found = await matchingComponents(context, region, driver, missing);
      const { compared: done, matching: all } = knownOf(later);
      for (const id of missing) done.add(id);
      for (const [id, generation] of found) all.set(id, generation);
    });
  }
  return matching;
}
