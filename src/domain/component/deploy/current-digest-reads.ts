import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { RegistryCaller, RegistryCredentials } from '../../../drivers/registry/driver.ts';
import { type ImageReference, imageName, parseImage } from '../../../drivers/registry/image.ts';
import { callerId } from '../../../kernel/access.ts';
import { batched } from '../../../kernel/batch.ts';
import { decrease, increase } from '../../../kernel/counts.ts';
import { createBoundedCache, memoizeByIdentity } from '../../../kernel/memo.ts';
import { pullCredentials } from '../../registry-credential/reads.ts';

/** How long a digest from a registry is cached. */
const currentMs = 60_000;
/** How long a read waits for registries. Their requests go on after it, and fill the cache. */
const waitMs = 3_000;
/** The most images in the cache of a process. */
const maxImages = 10_000;
/** The most images whose registries are being asked, those of one team, and those of one caller for a team. Digests of further ones are null. */
const maxWaiting = { all: 1_000, ofTeam: 100, ofCaller: 50 };

/** The digest that a registry had for a tag at a time. */
export interface CurrentDigest {
  digest: string;
  askedAt: Date;
}

type Asked = Promise<CurrentDigest | null>;

/** The cached digests of a process, and the number of requests in progress. */
const askedBy = memoizeByIdentity((_: object) => ({
  cache: createBoundedCache<string, Asked>({ size: maxImages, lifeMs: currentMs }),
  waiting: 0,
  ofTeams: new Map<string, number>(),
  ofCallers: new Map<string, number>(),
}));

/** The current digests of images of a team. Null if a registry does not respond in time. */
export const currentDigestOf = batched(
  async (context: Context, images: string[], teamId: string): Promise<Map<string, CurrentDigest>> => {
    const found = new Map<string, CurrentDigest>();
    const late = sleep(waitMs, null, { ref: false });
    const credentialOf = pullCredentials(context, teamId);
    const caller = { teamId, callerId: String(callerId(context.actor)) };
    await Promise.all(
      images.map(async (image) => {
        const parsed = parseImage(image);
        if (!parsed) return;
        const key = `${teamId} ${imageName(parsed)}`;
        const recent =
          recentDigest(context, key) ?? ask(context, key, caller, parsed, await credentialOf(image));
        const current = await Promise.race([recent, late]);
        if (current !== null) found.set(image, current);
      }),
    );
    return found;
  },
  null,
);

type Asking = Pick<Context, 'drivers' | 'log'>;

const recentDigest = ({ drivers: { registry } }: Asking, key: string): Asked | undefined =>
  askedBy(registry).cache.get(key);

/** Asks a registry, with nothing of the request that reads: the answer can take longer than that, and its rows would stay in memory. */
function ask(
  { drivers, log }: Asking,
  key: string,
  caller: Omit<RegistryCaller, 'signal'>,
  image: ImageReference,
  credential: RegistryCredentials | null,
): Asked {
  const { registry } = drivers;
  const recent = recentDigest({ drivers, log }, key);
  if (recent) return recent;
  const asked = askedBy(registry);
  const { teamId } = caller;
  const callerKey = `${teamId} ${caller.callerId}`;
  const isFull =
    asked.waiting >= maxWaiting.all ||
    (asked.ofTeams.get(teamId) ?? 0) >= maxWaiting.ofTeam ||
    (asked.ofCallers.get(callerKey) ?? 0) >= maxWaiting.ofCaller;
  if (registry.digestTimeoutMs === 0 || isFull) return Promise.resolve(null);
  asked.waiting++;
  increase(asked.ofTeams, teamId);
  increase(asked.ofCallers, callerKey);
  const askedAt = new Date();
  const current = registry
    .currentDigest(caller, image, credential)
    .then((digest) => (digest === null ? null : { digest, askedAt }))
    .catch((error) => {
      log.debug({ error, image: imageName(image) }, 'the current digest of an image is not known');
      return null;
    })
    .finally(() => {
      asked.waiting--;
      decrease(asked.ofTeams, teamId);
      decrease(asked.ofCallers, callerKey);
    });
  asked.cache.set(key, current, 1);
  return current;
}
