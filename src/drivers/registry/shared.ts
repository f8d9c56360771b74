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

/** The most concurrent calls of this process, of one team, and of one caller for a team, for digests. They have no body. */
const digestCalls = 32;
const digestCallsOfTeam = 16;
const digestCallsOfCaller = 4;

/** The most of them at once, and of one team, that are of those who only look. */
const looks = 16;
const looksOfTeam = 4;

/** Limits concurrent calls to registries. */
export function shareImageRegistry(
  registry: ImageRegistry,
  { timeoutMs, callsPerRegistry }: DigestSettings = digestDefaults,
): SharedImageRegistry {
  const limiter = new Limiter({
    most: sharedRegistryLimits.calls,
    mostOfGroup: sharedRegistryLimits.callsOfTeam,
  });
  const callers = new Limiter({ most: Number.POSITIVE_INFINITY, mostOfGroup: digestCallsOfCaller });
  const teams = new Limiter({ most: Number.POSITIVE_INFINITY, mostOfGroup: digestCallsOfTeam });
  const digests = new Limiter({ most: digestCalls, mostOfGroup: callsPerRegistry });
  const lookingTeams = new Limiter({ most: Number.POSITIVE_INFINITY, mostOfGroup: looksOfTeam });
  const looking = new Limiter({ most: looks, mostOfGroup: Math.max(1, Math.floor(callsPerRegistry / 2)) });
  return {
    find: ({ teamId, signal }, image, credentials) =>
      limiter.run(teamId, () => registry.find(image, credentials, signal), signal),
    digest({ teamId, callerId, signal }, image, credentials) {
      const ask = () => registry.digest(image, credentials, signal);
      const ofHost = () => digests.run(image.host, ask, signal);
      const ofTeam = () => teams.run(teamId, ofHost, signal);
      return callers.run(`${teamId} ${callerId}`, ofTeam, signal);
    },
    currentDigest({ teamId }, image, credentials) {
      const ask = () => digests.run(image.host, () => registry.digest(image, credentials));
      return lookingTeams.run(teamId, () => looking.run(image.host, ask));
    },
    digestTimeoutMs: timeoutMs,
  };
}
