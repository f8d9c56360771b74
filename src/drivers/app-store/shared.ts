import { createHash } from 'node:crypto';
import { Turns } from '../../kernel/turns.ts';
import type { AppStore, StoreAddress, StoreTemplate, StoreVersion } from './driver.ts';

/** Who asks a store. The call ends when the signal is aborted, unless others wait for its answer too. */
export interface StoreCaller {
  teamId: string;
  signal?: AbortSignal | undefined;
}

/** What is kept of a version that a store offers. */
export type OfferedVersion = Pick<StoreVersion, 'version' | 'isEnabled'>;

/** A store as all requests of a process ask it: within bounds, and not for what it has just said. */
export interface SharedAppStore {
  /** The versions of a template, as the store told them within the last minute, or tells them now. */
  versions(caller: StoreCaller, store: StoreAddress, appId: string): Promise<readonly OfferedVersion[]>;
  /** The versions as the store tells them now. */
  freshVersions(caller: StoreCaller, store: StoreAddress, appId: string): Promise<readonly OfferedVersion[]>;
  template(caller: StoreCaller, store: StoreAddress, appId: string, version: string): Promise<StoreTemplate>;
}

export interface SharedStoreLimits {
  /** Calls under way at once in this process. */
  calls: number;
  /** Calls under way at once for one team. */
  callsOfTeam: number;
  /** How long what a store says of a template's versions is kept. */
  keptMs: number;
  /** How many characters of versions are kept, the oldest being dropped first. */
  keptCharacters: number;
}

export const sharedStoreLimits: SharedStoreLimits = {
  calls: 8,
  callsOfTeam: 2,
  keptMs: 60_000,
  keptCharacters: 8_000_000,
};

interface Kept {
  versions: readonly OfferedVersion[];
  until: number;
  characters: number;
}

/** A call that several wait for. */
interface Call {
  answer: Promise<readonly OfferedVersion[]>;
  askers: number;
  controller: AbortController;
}

/** Bounds the calls to stores, and keeps what they say of versions. Failures are not kept. */
export function shareAppStore(store: AppStore, options: Partial<SharedStoreLimits> = {}): SharedAppStore {
  const limits = { ...sharedStoreLimits, ...options };
  const turns = new Turns(limits.calls, limits.callsOfTeam);
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Call>();
  let keptCharacters = 0;

  function drop(key: string): void {
    keptCharacters -= kept.get(key)?.characters ?? 0;
    kept.delete(key);
  }

  function keep(key: string, versions: readonly OfferedVersion[]): void {
    drop(key);
    const characters = versions.reduce((sum, { version }) => sum + version.length + 50, 200);
    kept.set(key, { versions, until: performance.now() + limits.keptMs, characters });
    keptCharacters += characters;
    for (const oldest of kept.keys()) {
      if (keptCharacters <= limits.keptCharacters) break;
      drop(oldest);
    }
  }

  function forget(key: string, call: Call): void {
    if (underWay.get(key) === call) underWay.delete(key);
  }

  function start(key: string, teamId: string, address: StoreAddress, appId: string): Call {
    const controller = new AbortController();
    const { signal } = controller;
    const answer = turns
      .run(teamId, () => store.versions(address, appId, signal), signal)
      .then((told) => {
        const versions = told.map(({ version, isEnabled }) => ({ version, isEnabled }));
        keep(key, versions);
        return versions;
      })
      .finally(() => forget(key, call));
    const call: Call = { answer, askers: 0, controller };
    // Whoever waits for it is told; it may be that nobody does any more.
    answer.catch(() => {});
    controller.signal.addEventListener('abort', () => forget(key, call), { once: true });
    underWay.set(key, call);
    return call;
  }

  return {
    async versions(caller, address, appId) {
      const key = keyOf(address, appId);
      const found = kept.get(key);
      if (found && found.until > performance.now()) return found.versions;
      return join(underWay.get(key) ?? start(key, caller.teamId, address, appId), caller.signal);
    },
    async freshVersions(caller, address, appId) {
      return join(start(keyOf(address, appId), caller.teamId, address, appId), caller.signal);
    },
    async template({ teamId, signal }, address, appId, version) {
      return turns.run(teamId, () => store.template(address, appId, version, signal), signal);
    },
  };
}

/** The access key is part of it, hashed: what one caller may see is not told to another. */
const keyOf = ({ url, domain, accessKey }: StoreAddress, appId: string) =>
  createHash('sha256')
    .update(JSON.stringify([url, domain, accessKey, appId]))
    .digest('base64');

/** The answer of a call, or the signal's reason once that is aborted; the call ends when its last asker leaves. */
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
