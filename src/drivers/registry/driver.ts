import type { PullCredential } from '../region/health.ts';
import type { ImageReference } from './image.ts';

export type RegistryCredentials = Pick<PullCredential, 'username' | 'password'>;

export interface ImagePlatform {
  os: string;
  architecture: string;
  /** Of the architecture, for example `v8`. Null if there is none. */
  variant: string | null;
}

export interface FoundImage {
  digest: string;
  platforms: ImagePlatform[];
  /** The ports that the image says it listens on, of its first platform. */
  exposedPorts: { number: number; protocol: string }[];
}

/**
 * Registries of images. Calls fail with REGISTRY_REFUSED, REGISTRY_UNAVAILABLE, or with the signal's reason once it is
 * aborted.
 */
export interface ImageRegistry {
  /** Null if the registry does not have the image. */
  find(
    image: ImageReference,
    credentials: RegistryCredentials | null,
    signal?: AbortSignal,
  ): Promise<FoundImage | null>;
  /** The digest that a tag has now: of its index, for all platforms. Null if the registry does not have the image. */
  digest(
    image: ImageReference,
    credentials: RegistryCredentials | null,
    signal?: AbortSignal,
  ): Promise<string | null>;
}

/** Who asks about an image. Calls end when the signal is aborted. */
export interface RegistryCaller {
  teamId: string;
  /** Whose calls wait for each other, so that nobody waits for all those of another member. */
  callerId: string;
  signal?: AbortSignal | undefined;
}

/** Access to registries that is shared by all requests of a process, with limits on concurrent calls. */
export interface SharedImageRegistry {
  find(
    caller: RegistryCaller,
    image: ImageReference,
    credentials: RegistryCredentials | null,
  ): Promise<FoundImage | null>;
  /** The digest that a tag has now. Null if the registry does not have the image. */
  digest(
    caller: RegistryCaller,
    image: ImageReference,
    credentials: RegistryCredentials | null,
  ): Promise<string | null>;
  /**
   * The digest that a tag has now, for reads. Reads have a limited share of the concurrent calls, so that deploys do not wait for
   * them.
   */
  currentDigest(
    caller: Omit<RegistryCaller, 'signal'>,
    image: ImageReference,
    credentials: RegistryCredentials | null,
  ): Promise<string | null>;
  /** How long a deploy waits for the digests of its images, in ms. With 0, registries are not asked for them. */
  readonly digestTimeoutMs: number;
}
