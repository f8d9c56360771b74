import { Limiter } from '../../kernel/limiter.ts';
import type { ImageRegistry, SharedImageRegistry } from './driver.ts';

/** The most concurrent calls of this process, and of one team. */
export const sharedRegistryLimits = { calls: 8, callsOfTeam: 2 };

/** Limits concurrent calls to registries. */
export function shareImageRegistry(registry: ImageRegistry): SharedImageRegistry {
  const limiter = new Limiter({
    most: sharedRegistryLimits.calls,
    mostOfGroup: sharedRegistryLimits.callsOfTeam,
  });
  return {
    find: ({ teamId, signal }, image, credentials) =>
      limiter.run(teamId, () => registry.find(image, credentials, signal), signal),
  };
}
