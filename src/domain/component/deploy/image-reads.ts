import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { DesiredComponent } from '../../../drivers/region/desired.ts';
import { bounded, type RegionDriver, RegionWorkError } from '../../../drivers/region/driver.ts';
import { parseImage, registryOf } from '../../../drivers/registry/image.ts';
import { callerId } from '../../../kernel/access.ts';
import { createLoaders } from '../../../kernel/batch.ts';
import { ApiError, RegistryUnavailableError } from '../../../kernel/errors.ts';
import { createBoundedCache, memoizeByIdentity } from '../../../kernel/memo.ts';
import { desiredComponent } from '../../job/desired-reads.ts';
import { regionTarget } from '../../region/cluster-reads.ts';
import { pullCredentials } from '../../registry-credential/reads.ts';
import { type Resolution, unresolved } from './image-model.ts';

/** How long plans of a caller do not ask a registry again that was not available. */
const failedMs = 30_000;
/** The most registries whose failures are cached, counted for each caller. */
const maxFailed = 1_000;

/** The failures, by team, caller and registry. */
const failedOf = memoizeByIdentity((_: object) =>
  createBoundedCache<string, string>({ size: maxFailed, lifeMs: failedMs }),
);

/**
 * Resolves images to digests, all of them within `REGISTRY_DIGEST_TIMEOUT_MS`. Does not throw when a registry fails: the
 * resolution of the image then has a `problem`.
 */
export async function resolveImages(
  context: Context,
  teamId: string,
  images: readonly string[],
  { isPlan }: { isPlan: boolean },
): Promise<Map<string, Resolution>> {
  const { registry } = context.drivers;
  const { digestTimeoutMs } = registry;
  const failed = failedOf(registry);
  const caller = { teamId, callerId: String(callerId(context.actor)) };
  const work = new AbortController();
  const stop = () => work.abort(context.signal!.reason);
  context.signal?.addEventListener('abort', stop, { once: true });
  const late = new Error(`The registry did not respond within ${digestTimeoutMs} ms.`);
  const timer = setTimeout(() => work.abort(late), digestTimeoutMs);
  const credentialOf = pullCredentials(context, teamId);

  async function resolve(image: string): Promise<Resolution> {
    const parsed = parseImage(image);
    if (!parsed) return unresolved('The image reference is not valid.');
    // Of each team and caller: what one gets wrong, such as a credential, says nothing about the images of another, and who asks
    // for many images at once waits for their own calls.
    const key = `${teamId} ${caller.callerId} ${registryOf(image)}`;
    const before = failed.get(key);
    if (isPlan && before !== undefined) return unresolved(before);
    try {
      const digest = await registry.digest(
        { ...caller, signal: work.signal },
        parsed,
        await credentialOf(image),
      );
      failed.delete(key);
      if (digest === null) return unresolved('The registry does not have the image.');
      return { digest, resolvedAt: new Date(), problem: null };
    } catch (error) {
      context.signal?.throwIfAborted();
      if (error instanceof ApiError || error === late) {
        const { message: problem } = error as Error;
        if (!(error instanceof ApiError) || error instanceof RegistryUnavailableError)
          failed.set(key, problem, 1);
        return unresolved(problem);
      }
      context.log.warn({ error, image }, 'the digest of an image was not found out');
      return unresolved('The request to the registry failed.');
    }
  }

  try {
    return new Map(await Promise.all(images.map(async (image) => [image, await resolve(image)] as const)));
  } finally {
    clearTimeout(timer);
    context.signal?.removeEventListener('abort', stop);
  }
}

/** How many components are compared with the cluster at once. Each can have megabytes of files. */
const comparedAtOnce = 20;
/** How long a deploy compares components with the cluster. Those that are left are deployed. */
const compareMs = 5_000;

/**
 * Which of the components the cluster has exactly as they were deployed, with all instances ready, and their generation then.
 * None if it does not answer.
 */
export async function matchingComponents(
  context: Context,
  region: Row<'Region'>,
  driver: RegionDriver,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const generations = new Map<string, number>();
  const until = performance.now() + compareMs;
  try {
    for (let at = 0; at < ids.length && performance.now() < until; at += comparedAtOnce) {
      const fresh = { ...context, loaders: createLoaders() };
      const some = ids.slice(at, at + comparedAtOnce);
      const found = await Promise.all(some.map((id) => desiredOrNull(fresh, id)));
      const desired = found.filter((component) => component !== null);
      const matching = await bounded(
        (ended) => driver.matching!(regionTarget(context, region), desired, ended),
        context.signal,
        driver.timeoutMs,
      );
      for (const { id, generation } of desired) if (matching.has(id)) generations.set(id, generation);
    }
  } catch (error) {
    context.signal?.throwIfAborted();
    context.log.info({ error, region: region.id }, 'a cluster was not compared before a deploy');
  }
  return generations;
}

/** Null as well if it has more than a component can have. */
async function desiredOrNull(context: Context, id: string): Promise<DesiredComponent | null> {
  try {
    return await desiredComponent(context, id);
  } catch (error) {
    if (error instanceof RegionWorkError) return null;
    throw error;
  }
}
