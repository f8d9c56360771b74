import { createHash } from 'node:crypto';
import type { RequestBudget } from '../../kernel/budget.ts';
import { countJson } from '../../kernel/large-json.ts';
import { Limiter, runWithin } from '../../kernel/limiter.ts';
import { createBoundedCache } from '../../kernel/memo.ts';
import type { Telemetry } from '../../kernel/telemetry.ts';
import { sortedByVersion } from '../../kernel/version.ts';
import type { AppStore, StoreAddress, StoreTemplate, StoreVersion } from './driver.ts';

/** The caller of a store. Calls end when the signal is aborted, unless other callers wait for the same response. */
export interface StoreCaller {
  teamId: string;
  /** Whose calls wait for each other, so that nobody waits for all those of another member. */
  callerId: string;
  signal?: AbortSignal | undefined;
  /** Charged with the templates. */
  budget?: Pick<RequestBudget, 'reserve'> | undefined;
}

/** The cached part of a version that a store offers. */
export type OfferedVersion = Pick<StoreVersion, 'version' | 'isEnabled'>;

/** Access to stores that is shared by all requests of a process, with limits on concurrent calls and a cache. */
export interface SharedAppStore {
  /** The versions of a template in ascending order, cached for a minute. */
  versions(caller: StoreCaller, store: StoreAddress, appId: string): Promise<readonly OfferedVersion[]>;
  /** The versions of a template, not from the cache. */
  freshVersions(caller: StoreCaller, store: StoreAddress, appId: string): Promise<readonly OfferedVersion[]>;
  template(caller: StoreCaller, store: StoreAddress, appId: string, version: string): Promise<StoreTemplate>;
  /** Drops the cached versions of a template, or of all, and those that calls under way return, which may be outdated. */
  forget(appId?: string): void;
}

export interface SharedStoreLimits {
  /** The most concurrent calls of this process. */
  calls: number;
  /** The most concurrent calls for one team. */
  callsOfTeam: number;
  /** The most concurrent calls of one caller for a team. */
  callsOfCaller: number;
  /** How long the versions of a template are cached, in ms. */
  cacheMs: number;
  /** The size of the cache, in characters. */
  cachedCharacters: number;
}

const sharedStoreLimits: SharedStoreLimits = {
  calls: 8,
  callsOfTeam: 2,
  callsOfCaller: 1,
  cacheMs: 60_000,
  cachedCharacters: 8_000_000,
};

interface CachedVersions {
  appId: string;
  versions: readonly OfferedVersion[];
}

/** A call that is shared by several callers. */
interface Call {
  appId: string;
  answer: Promise<readonly OfferedVersion[]>;
  askers: number;
  controller: AbortController;
}

/** Limits concurrent calls to stores, and caches versions. Errors are not cached. */
export function shareAppStore(
  store: AppStore,
  options: Partial<SharedStoreLimits> = {},
  telemetry?: Telemetry,
): SharedAppStore {
  const limits = { ...sharedStoreLimits, ...options };
  const limiter = new Limiter({ most: limits.calls, mostOfGroup: limits.callsOfTeam });
  const ofCaller = new Limiter({ mostOfGroup: limits.callsOfCaller });
  const cached = createBoundedCache<string, CachedVersions>({
    size: limits.cachedCharacters,
    lifeMs: limits.cacheMs,
  });
  const underWay = new Map<string, Call>();

  function run<T>(
    { teamId, callerId }: StoreCaller,
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return runWithin(
      [
        [ofCaller, `${teamId} ${callerId}`],
        [limiter, teamId],
      ],
      work,
      signal,
    );
  }

  function keep(key: string, appId: string, versions: readonly OfferedVersion[]): void {
    const characters = versions.reduce((sum, { version }) => sum + version.length + 50, 200);
    cached.set(key, { appId, versions }, characters);
  }

  /** Whether no later call has replaced it, and its template was not changed since it started. */
  const isCurrent = (at: string, call: Call) => underWay.get(at) === call;

  function forget(at: string, call: Call): void {
    if (isCurrent(at, call)) underWay.delete(at);
  }

  /** Callers share no calls, because one can wait for others of its caller. */
  const placeOf = (key: string, { callerId }: StoreCaller) => `${key} ${callerId}`;

  function start(key: string, caller: StoreCaller, address: StoreAddress, appId: string): Call {
    const at = placeOf(key, caller);
    const controller = new AbortController();
    const { signal } = controller;
    const answer = run(caller, () => store.versions(address, appId, signal), signal)
      .then((all) => {
        const offered = all.map(({ version, isEnabled }) => ({ version, isEnabled }));
        const versions = sortedByVersion(offered, ({ version }) => version);
        if (isCurrent(at, call)) keep(key, appId, versions);
        return versions;
      })
      .finally(() => forget(at, call));
    const call: Call = { appId, answer, askers: 0, controller };
    // The callers get the error; without callers it must not be an unhandled rejection.
    answer.catch(() => {});
    controller.signal.addEventListener('abort', () => forget(at, call), { once: true });
    underWay.set(at, call);
    return call;
  }

  return {
    async versions(caller, address, appId) {
      const key = keyOf(address, appId);
      const entry = cached.get(key);
      telemetry?.lookup?.('store', entry !== undefined);
      if (entry) return entry.versions;
      const call = underWay.get(placeOf(key, caller)) ?? start(key, caller, address, appId);
      return join(call, caller.signal);
    },
    async freshVersions(caller, address, appId) {
      return join(start(keyOf(address, appId), caller, address, appId), caller.signal);
    },
    forget(appId) {
      const isMeant = (each: { appId: string }) => appId === undefined || each.appId === appId;
      cached.deleteWhere(isMeant);
      for (const [key, each] of underWay) if (isMeant(each)) underWay.delete(key);
    },
    async template(caller, address, appId, version) {
      const { signal, budget } = caller;
      const ask = async () => {
        const template = await store.template(address, appId, version, signal);
        // No more are under way than may be at once. Those that have arrived stay until their requests end.
        countJson(budget, template.characters);
        return template;
      };
      return run(caller, ask, signal);
    },
  };
}

/** The cache key, which includes a hash of the access key, so that callers do not share responses across keys. */
const keyOf = ({ url, domain, accessKey }: StoreAddress, appId: string) =>
  createHash('sha256')
    .update(JSON.stringify([url, domain, accessKey, appId]))
    .digest('base64');

/** Awaits a shared call, or rejects with the signal's reason once it is aborted. The call ends with its last caller. */
function join(call: Call, signal: AbortSignal | undefined): Promise<readonly OfferedVersion[]> {
  call.askers++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      if (--call.askers === 0) call.controller.abort(signal!.reason);
      reject(signal!.reason);
    };
    if (signal?.aborted) return leave();
    signal?.addEventListener('abort', leave, { once: true });
    call.answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
  });
}
