import type { PullCredential } from '../region/health.ts';
import type { ImageReference } from './image.ts';

export type RegistryCredentials = Pick<PullCredential, 'username' | 'password'>;

export interface ImagePlatform {
  os: string;
  architecture: string;
  /** Of the architecture, for example `v8`. Null if there is none. */
  variant: string | null;
}

/** An image in a registry. */
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
}

/** Access to registries that is shared by all requests of a process, with limits on concurrent calls. */
export interface SharedImageRegistry {
  find(
    caller: { teamId: string; signal?: AbortSignal | undefined },
    image: ImageReference,
    credentials: RegistryCredentials | null,
  ): Promise<FoundImage | null>;
}
