import type { Row } from '../../../db/tables.ts';
import { digestIn, isMoving, tagIn } from '../../../drivers/registry/image.ts';
import { isDeployed } from '../state-model.ts';

/** The answer of a registry about the tag of an image. */
export interface Resolution {
  /** Null if it is not known. */
  digest: string | null;
  resolvedAt: Date | null;
  /** Why the digest is not known. */
  problem: string | null;
}

/** An image whose digest is not known. */
export const unresolved = (problem: string): Resolution => ({ digest: null, resolvedAt: null, problem });

/** The image that a component is deployed with. The digest is null if it is not known, or part of the image. */
export interface RunImage extends Resolution {
  image: string;
  /** Whether the digest is that of a release, so that a restart keeps it. */
  isPinned: boolean;
  /** Whether instances pull the image at each start. */
  pullsAlways: boolean;
}

export const deployedImageFields = [
  'id',
  'image',
  'digest',
  'resolvedAt',
  'isPinned',
  'pullsAlways',
] as const;
export type DeployedImageRow = Pick<Row<'Deployment'>, (typeof deployedImageFields)[number]>;

/** The digest that instances run. Undefined if it is not known. */
export const digestRun = ({ image, digest }: Pick<RunImage, 'image' | 'digest'>): string | undefined =>
  digest ?? digestIn(image);

/** The image of a deploy. A registry that does not answer changes nothing of a version that was deployed before. */
function imageOfDeploy(
  image: string,
  { digest, resolvedAt, problem }: Resolution,
  before: DeployedImageRow | undefined,
): RunImage {
  if (digest !== null || digestIn(image) !== undefined) {
    return { image, digest, resolvedAt, problem: null, isPinned: false, pullsAlways: false };
  }
  if (!isMoving(image) && before?.image === image && before.digest !== null)
    return { ...before, image, problem };
  return { image, digest: null, resolvedAt: null, problem, isPinned: false, pullsAlways: isMoving(image) };
}

/** The image of a restart: the current one of a tag that moves, unless a release was brought back. */
function imageOfRestart(
  before: DeployedImageRow & { image: string },
  { digest, resolvedAt, problem }: Resolution,
): RunImage {
  if (digest !== null) {
    return { ...before, digest, resolvedAt, problem: null, isPinned: false, pullsAlways: false };
  }
  return { ...before, problem, pullsAlways: before.digest === null };
}

/** Which image a release that a deploy brings back or promotes has, by the ids of components. */
export type PinnedImages = ReadonlyMap<string, Partial<Pick<RunImage, 'digest' | 'resolvedAt'>>>;

/** A component, as far as its image depends on it. */
export type ImageColumns = Pick<Row<'Component'>, 'id' | 'image' | 'deployState'>;

/** The components whose images a job needs. */
export interface ImageWork<C extends ImageColumns = ImageColumns> {
  deployed: readonly C[];
  restarted: readonly C[];
  pinned?: PinnedImages | undefined;
}

/** The images that components were deployed with, by the ids of the components. */
export type DeployedImages = ReadonlyMap<string, DeployedImageRow>;

function pinnedImage({ pinned }: ImageWork, { id, image }: ImageColumns): RunImage | undefined {
  const { digest, resolvedAt = null } = pinned?.get(id) ?? {};
  return digest == null
    ? undefined
    : { image, digest, resolvedAt, problem: null, isPinned: true, pullsAlways: false };
}

const restartedAnew = ({ restarted }: ImageWork, before: DeployedImages) =>
  restarted.flatMap(({ id }) => {
    const row = before.get(id);
    return isResolvedAtRestart(row) ? [row] : [];
  });

/** The images whose digests a job needs, without those that have one. */
export function imagesToResolve(work: ImageWork, before: DeployedImages): Set<string> {
  const deployed = work.deployed.filter((component) => !pinnedImage(work, component));
  const all = [...deployed, ...restartedAnew(work, before)].map(({ image }) => image);
  return new Set(all.filter((image) => digestIn(image) === undefined));
}

const notAsked: Resolution = { digest: null, resolvedAt: null, problem: null };

/** The images that a job runs, by the ids of components. Restarts that keep their image are left out. */
export function imagesToRun(
  work: ImageWork,
  before: DeployedImages,
  resolved: ReadonlyMap<string, Resolution>,
): Map<string, RunImage> {
  const resolutionOf = ({ image }: { image: string }) => resolved.get(image) ?? notAsked;
  return new Map([
    ...work.deployed.map((each) => {
      const image =
        pinnedImage(work, each) ?? imageOfDeploy(each.image, resolutionOf(each), before.get(each.id));
      return [each.id, image] as const;
    }),
    ...restartedAnew(work, before).map((row) => [row.id, imageOfRestart(row, resolutionOf(row))] as const),
  ]);
}

/** The running components whose image would not change. */
export const withSameImage = <C extends ImageColumns>(
  components: readonly C[],
  images: ReadonlyMap<string, RunImage>,
  before: DeployedImages,
): C[] =>
  components.filter(({ id, image, deployState }) => {
    const [row, next] = [before.get(id), images.get(id)];
    if (!isDeployed({ deployState }) || row?.image !== image || !next || next.problem !== null) return false;
    return digestRun(next) !== undefined && digestRun(next) === digestRun({ ...row, image });
  });

/** Whether a restart asks for the digest of the tag again. */
const isResolvedAtRestart = (
  row: DeployedImageRow | undefined,
): row is DeployedImageRow & { image: string } =>
  row !== undefined && row.image !== null && isMoving(row.image) && !row.isPinned;

/** The images of some of the components. */
export const imagesAmong = (
  images: ReadonlyMap<string, RunImage>,
  components: readonly Pick<Row<'Component'>, 'id'>[],
): Map<string, RunImage> =>
  new Map(
    components.flatMap(({ id }) => {
      const image = images.get(id);
      return image ? [[id, image] as const] : [];
    }),
  );

/** An image in a plan, by the name of its component. */
export interface PlannedImage {
  componentId: string;
  component: string;
  reference: string;
  digest: string | null;
  resolvedAt: Date | null;
  note: string | null;
}

/** A component that a deploy does not change: it runs what would be deployed. */
export interface Unchanged {
  image: RunImage;
  note: string;
}

/** The beginning of a digest, as it is shown. */
const shortDigest = (digest: string): string => digest.replace(/^(\w+:)?(\w{12}).*$/, '$2');

/** A note for users about the image of a deploy. Null if there is none. */
export function noteOf({ image, digest, problem, pullsAlways }: RunImage): string | null {
  if (problem === null) return null;
  const tag = `\`${tagIn(image)}\``;
  if (digest !== null)
    return `${problem} The image is still that of ${tag} with the digest ${shortDigest(digest)}.`;
  return `The digest of ${tag} is not known. ${problem}${pullsAlways ? ' New instances pull the image.' : ''}`;
}

export function unchangedNote(image: RunImage): string {
  const what =
    digestIn(image.image) !== undefined || image.isPinned ? 'the image' : `\`${tagIn(image.image)}\``;
  return `Nothing to change: ${what} is still ${shortDigest(digestRun(image)!)}.`;
}
