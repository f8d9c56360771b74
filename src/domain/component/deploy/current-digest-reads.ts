import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { PullCredential } from '../../../drivers/region/health.ts';
import { type ImageReference, imageName, parseImage } from '../../../drivers/registry/image.ts';
import { batched } from '../../../kernel/batch.ts';
import { createBoundedCache, memoizeByIdentity } from '../../../kernel/memo.ts';
import { pullCredentials } from '../../registry-credential/reads.ts';

/** How long a digest from a registry is cached. */
const currentMs = 60_000;
/** How long a read waits for registries. Their requests go on after it, and fill the cache. */
const waitMs = 3_000;
/** The most images in the cache of a process. */
const maxImages = 10_000;
/** The most images whose registries are being asked. Digests of further ones are null. */
const maxWaiting = 1_000;

interface Asked {
  at: number;
  digest: Promise<string | null>;
}

/** The cached digests of a process, and the number of requests in progress. */
const askedBy = memoizeByIdentity((_: object) => ({
  cache: createBoundedCache<string, Asked>({ size: maxImages }),
  waiting: 0,
}));

/** The current digests of images of a team. Null if a registry does not respond in time. */
export const currentDigestOf = batched(
  async (context: Context, images: string[], teamId: string): Promise<Map<string, string>> => {
    const found = new Map<string, string>();
    const late = sleep(waitMs, null, { ref: false });
    const credentialOf = pullCredentials(context, teamId);
    await Promise.all(
      images.map(async (image) => {
        const parsed = parseImage(image);
        if (!parsed) return;
        const digest = await Promise.race([
          recentDigest(context, teamId, parsed, () => credentialOf(image)),
          late,
        ]);
        if (digest !== null) found.set(image, digest);
      }),
    );
    return found;
  },
  null,
);

function recentDigest(
  { drivers: { registry }, log }: Context,
  teamId: string,
  image: ImageReference,
  credentialOf: () => Promise<PullCredential | null>,
): Promise<string | null> {
  const asked = askedBy(registry);
  const key = `${teamId} ${imageName(image)}`;
  const now = performance.now();
  const recent = asked.cache.get(key);
  if (recent && now - recent.at < currentMs) return recent.digest;
  if (registry.digestTimeoutMs === 0 || asked.waiting >= maxWaiting) return Promise.resolve(null);
  asked.waiting++;
  const ask = async () => {
    try {
      return await registry.digest({ teamId }, image, await credentialOf());
    } catch (error) {
      log.debug({ error, image: imageName(image) }, 'the current digest of an image is not known');
      return null;
    } finally {
      asked.waiting--;
    }
  };
  const digest = ask();
  asked.cache.set(key, { at: now, digest }, 1);
  return digest;
}
