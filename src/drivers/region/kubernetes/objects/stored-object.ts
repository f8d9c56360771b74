import { shortHash } from '../../object-names.ts';
import { annotations, type KindName, type KubernetesObject, kinds, ordered } from './objects.ts';

const isOwnAnnotation = (name: string) => name.startsWith('trellis.dev/');

/** The part of an object that Trellis sets: not its status, nor annotations of controllers. */
export function contentOf({ kind, metadata, status, ...rest }: KubernetesObject): string {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => isOwnAnnotation(name));
  // Provisioners write into claims, which nobody else can change.
  const content = kind === 'PersistentVolumeClaim' ? undefined : rest;
  return ordered([metadata.labels, Object.fromEntries(annotations), content]);
}

/** The kinds whose content can be large or secret, so that watches have only their metadata. */
const metadataKinds: readonly string[] = ['ConfigMap', 'Secret'] satisfies KindName[];

export const isMetadataOnly = (kind: string): boolean => metadataKinds.includes(kind);

/**
 * A hash of the fields that Trellis sets, by which a change of an object is detected. Stored objects have it already. For kinds of
 * which only the metadata is read, it is the resource version.
 */
export const contentHashOf = (object: KubernetesObject): string =>
  object.contentHash ??
  (isMetadataOnly(object.kind) ? object.metadata.resourceVersion! : shortHash(contentOf(object)));

export const hashOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.annotations?.[annotations.applied];

/** The fields of objects that are used beside their metadata, by kind. */
const used: Partial<Record<KindName, readonly string[]>> = {
  Deployment: ['spec', 'status'],
  StatefulSet: ['spec', 'status'],
  Pod: ['spec', 'status'],
  PersistentVolumeClaim: ['spec', 'status'],
  Service: ['spec'],
};

/** The kinds whose field managers are used: components share them, and each applies its part. */
const sharedByManagers: readonly KindName[] = ['Gateway'];

/**
 * The part of an object that informers store. The rest can be large: files and values of configurations, and who manages which
 * field.
 */
export function storedPartOf(object: KubernetesObject, kind: KindName): KubernetesObject {
  const { managedFields, annotations: has, ...metadata } = object.metadata;
  const annotations = Object.entries(has ?? {}).filter(([name]) => isOwnAnnotation(name));
  const managers = sharedByManagers.includes(kind)
    ? managedFields?.map(({ manager, operation }) => ({ manager, operation }))
    : undefined;
  return {
    apiVersion: kinds[kind].apiVersion,
    kind,
    metadata: {
      ...metadata,
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
      ...(managers && { managedFields: managers }),
    },
    ...Object.fromEntries((used[kind] ?? []).map((part) => [part, object[part]])),
    // Nobody asks whether pods are as they were.
    ...(kind !== 'Pod' && { contentHash: contentHashOf({ ...object, kind }) }),
  };
}

/** Objects as they were when they had been applied, to see what others change or delete while work goes on. */
export class Applied {
  readonly #contents: ReadonlyMap<string, string>;

  constructor(objects: readonly KubernetesObject[]) {
    this.#contents = new Map(objects.map((object) => [object.metadata.uid!, contentHashOf(object)]));
  }

  /** Whether the cluster still has the objects as they were. It can have more. */
  isSame(objects: readonly KubernetesObject[]): boolean {
    const now = new Map(objects.map((object) => [object.metadata.uid!, object]));
    return [...this.#contents].every(([uid, content]) => {
      const object = now.get(uid);
      return object !== undefined && !object.metadata.deletionTimestamp && contentHashOf(object) === content;
    });
  }
}
