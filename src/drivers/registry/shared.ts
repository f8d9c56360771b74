import { Limiter, runWithin } from '../../kernel/limiter.ts';
import type { ImageRegistry, SharedImageRegistry } from './driver.ts';

/** The most concurrent calls of this process, of one team, and of one caller for a team. */
export const sharedRegistryLimits = { calls: 8, callsOfTeam: 2, callsOfCaller: 1 };

export interface DigestSettings {
  /** How long a deploy waits for the digests of its images, in ms. */
  timeoutMs: number;
  /** The most concurrent calls of this process to one registry. */
  callsPerRegistry: number;
}

export const digestDefaults: DigestSettings = { timeoutMs: 5_000, callsPerRegistry: 4 };

/** The most concurrent calls of this process, of one team, and of one caller for a team, for digests. They have no body. */
const digestCalls = 32;
const digestCallsOfTeam = 16;
const digestCallsOfCaller = 4;

/** The most of them at once, of one team, and of one caller for a team, that are of those who only look. */
const looks = 16;
const looksOfTeam = 4;
const looksOfCaller = 2;

/** Limits concurrent calls to registries. */
export function shareImageRegistry(
  registry: ImageRegistry,
  { timeoutMs, callsPerRegistry }: DigestSettings = digestDefaults,
): SharedImageRegistry {
  const limiter = new Limiter({
    most: sharedRegistryLimits.calls,
    mostOfGroup: sharedRegistryLimits.callsOfTeam,
  });
  const findingCallers = new Limiter({ mostOfGroup: sharedRegistryLimits.callsOfCaller });
  const callers = new Limiter({ mostOfGroup: digestCallsOfCaller });
  const teams = new Limiter({ mostOfGroup: digestCallsOfTeam });
  const digests = new Limiter({ most: digestCalls, mostOfGroup: callsPerRegistry });
  const lookingCallers = new Limiter({ mostOfGroup: looksOfCaller });
  const lookingTeams = new Limiter({ mostOfGroup: looksOfTeam });
  const looking = new Limiter({ most: looks, mostOfGroup: Math.max(1, Math.floor(callsPerRegistry / 2)) });
  return {
    find: ({ teamId, callerId, signal }, image, credentials) =>
      runWithin(
        [
          [findingCallers, `${teamId} ${callerId}`],
          [limiter, teamId],
        ],
        () => registry.find(image, credentials, signal),
        signal,
      ),
    digest({ teamId, callerId, signal }, image, credentials) {
      return runWithin(
        [
          [callers, `${teamId} ${callerId}`],
          [teams, teamId],
          [digests, image.host],
        ],
        () => registry.digest(image, credentials, signal),
        signal,
      );
    },
    currentDigest({ teamId, callerId }, image, credentials) {
      return runWithin(
        [
          [lookingCallers, `${teamId} ${callerId}`],
          [lookingTeams, teamId],
          [looking, image.host],
          [digests, image.host],
        ],
        () => registry.digest(image, credentials),
      );
    },
    digestTimeoutMs: timeoutMs,
  };
}
