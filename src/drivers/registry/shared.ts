import { Limiter } from '../../kernel/limiter.ts';
import type { ImageRegistry, SharedImageRegistry } from './driver.ts';

/** The most concurrent calls of this process, and of one team. */
export const sharedRegistryLimits = { calls: 8, callsOfTeam: 2 };

export interface DigestSettings {
  /** How long a deploy waits for the digests of its images, in ms. */
  timeoutMs: number;
  /** The most concurrent calls of this process to one registry. */
  callsPerRegistry: number;
}

export const digestDefaults: DigestSettings = { timeoutMs: 5_000, callsPerRegistry: 4 };

/** The most concurrent calls of this process, and of one team, for digests. They have no body. */
const digestCalls = 32;
const digestCallsOfTeam = 8;

/** Limits concurrent calls to registries. */
export function shareImageRegistry(
  registry: ImageRegistry,
  { timeoutMs, callsPerRegistry }: DigestSettings = digestDefaults,
): SharedImageRegistry {
  const limiter = new Limiter({
    most: sharedRegistryLimits.calls,
    mostOfGroup: sharedRegistryLimits.callsOfTeam,
  });
  const teams = new Limiter({ most: Number.POSITIVE_INFINITY, mostOfGroup: digestCallsOfTeam });
  const digests = new Limiter({ most: digestCalls, mostOfGroup: callsPerRegistry });
  return {
    find: ({ teamId, signal }, image, credentials) =>
      limiter.run(teamId, () => registry.find(image, credentials, signal), signal),
    digest({ teamId, signal }, image, credentials) {
      const ask = () => registry.digest(image, credentials, signal);
      return teams.run(teamId, () => digests.run(image.host, ask, signal), signal);
    },
    digestTimeoutMs: timeoutMs,
  };
}
