import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Topic } from '../../db/channel/topic.ts';
import type { StoreAddress } from '../../drivers/app-store/driver.ts';
import type { OfferedVersion, StoreCaller } from '../../drivers/app-store/shared.ts';
import { ApiError } from '../../kernel/errors.ts';
import { setOfferedVersion } from '../component/group-rows.ts';

/** A group of components, with the newest version of its template that the store has offered. */
export interface OfferedGroup {
  id: number;
  offeredVersion: string | null;
}

/**
 * Stores the newest version that a store offers with the groups of its template, if it has changed. Not awaited,
 * so that the response does not fail if it cannot be written.
 */
export function keepOffered(
  { db, log }: Pick<Context, 'db' | 'log'>,
  groups: readonly OfferedGroup[],
  versions: readonly OfferedVersion[],
): void {
  const offeredVersion = newestOf(versions);
  const outdated = groups.filter((group) => group.offeredVersion !== offeredVersion);
  if (outdated.length === 0) return;
  for (const group of outdated) group.offeredVersion = offeredVersion;
  const ids = outdated.map(({ id }) => id);
  db.transaction((tx) => setOfferedVersion(tx, ids, offeredVersion)).catch((error) =>
    log.warn({ error }, 'saving the versions offered by a store failed'),
  );
}

/** How long an install waits, in ms, for the offered versions once it has the template. */
const waitMs = 1_000;

/**
 * The newest version that a store offers of a template to install. A slow or failing store
 * does not delay the install: `keepLater` stores a late result.
 */
export async function askOffered(
  { db, log, drivers }: Pick<Context, 'db' | 'log' | 'drivers'>,
  { teamId, callerId }: StoreCaller,
  address: StoreAddress,
  templateId: string,
): Promise<{ offeredVersion: string | null; keepLater(groupId: number): void }> {
  // Without the signal of the request, because a late result is kept.
  const answer = drivers.store.versions({ teamId, callerId }, address, templateId).catch((error) => {
    if (error instanceof ApiError) log.debug({ code: error.code }, 'an app store returned no versions');
    else log.warn({ error }, 'reading the versions of an app store failed');
    return undefined;
  });
  const late = new AbortController();
  const offered = await Promise.race([
    answer,
    sleep(waitMs, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  const offeredVersion = offered ? newestOf(offered) : null;
  return {
    offeredVersion,
    keepLater: (id) =>
      void answer.then(
        (versions) => versions && keepOffered({ db, log }, [{ id, offeredVersion }], versions),
      ),
  };
}

const newestOf = (versions: readonly OfferedVersion[]): string | null =>
  versions.findLast(({ isEnabled }) => isEnabled)?.version ?? null;

/** Drops what the cache of store answers has of templates of this platform that were changed, in any process. */
export function forgetChangedTemplates(
  { drivers }: Pick<Context, 'drivers'>,
  topics: ReadonlySet<Topic> | undefined,
): void {
  if (!topics) drivers.store.forget();
  for (const topic of topics ?? []) {
    const [, key] = /^template\/(.*)$/.exec(topic) ?? [];
    if (key !== undefined) drivers.store.forget(decodeURIComponent(key));
  }
}
