import type { Row } from '../../../db/tables.ts';
import { digestIn, isMoving, tagIn } from '../../../drivers/registry/image.ts';

/** What a registry says of the tag of an image. */
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
export function imageOfDeploy(
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
export function imageOfRestart(
  before: DeployedImageRow & { image: string },
  { digest, resolvedAt, problem }: Resolution,
): RunImage {
  if (digest !== null) {
    return { ...before, digest, resolvedAt, problem: null, isPinned: false, pullsAlways: false };
  }
  return { ...before, problem, pullsAlways: before.digest === null };
}

/** Whether a restart asks for the digest of the tag again. */
export const isResolvedAtRestart = (
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

/** What users should know of the image of a deploy. Null if there is nothing. */
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
