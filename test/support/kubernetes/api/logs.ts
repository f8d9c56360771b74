import { kindNamed } from './kinds.ts';
import * as status from './status.ts';
import type { Store } from './store.ts';

/** An answer that goes on: it tells pieces until it ends. Objects are told as lines of JSON, texts as they are. */
export interface Stream {
  start(tell: (piece: object | string) => void, end: () => void): () => void;
}

interface Line {
  /** In nanoseconds, as nodes write it. */
  at: string;
  text: string;
}

/** What containers have written. */
export class PodLogs {
  readonly #lines = new Map<string, Line[]>();
  readonly #followers = new Map<string, Set<(line: Line) => void>>();
  #last = BigInt(Date.now()) * 1_000_000n;

  /** Writes a line, each later than the one before. */
  write({ namespace, name }: { namespace: string; name: string }, text: string, container = 'main'): Line {
    const now = BigInt(Date.now()) * 1_000_000n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    const fraction = String(this.#last % 1_000_000_000n).padStart(9, '0');
    const seconds = new Date(Number(this.#last / 1_000_000n)).toISOString().slice(0, 19);
    const line = { at: `${seconds}.${fraction}Z`, text };
    const key = `${namespace}/${name}/${container}`;
    this.#lines.set(key, [...(this.#lines.get(key) ?? []), line]);
    for (const tell of [...(this.#followers.get(key) ?? [])]) tell(line);
    return line;
  }

  /** How many follow the logs of a pod. */
  followers({ namespace, name }: { namespace: string; name: string }, container = 'main'): number {
    return this.#followers.get(`${namespace}/${name}/${container}`)?.size ?? 0;
  }

  read(store: Store, pod: any, query: URLSearchParams): status.Answer | Stream {
    const { namespace, name, uid } = pod.metadata;
    const container = containerOf(pod, query);
    if (!pod.spec.nodeName) return { status: 204, body: '' };
    const state = pod.status.containerStatuses?.find((each: any) => each.name === container);
    if (!state || (state.state.waiting && !state.lastState?.terminated)) {
      const reason = state?.state.waiting?.reason ?? 'ContainerCreating';
      throw status.badRequest(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
    }
    const key = `${namespace}/${name}/${container}`;
    const since = query.get('sinceTime');
    const tail = query.get('tailLines');
    const all = (this.#lines.get(key) ?? []).filter(
      ({ at }) => since === null || at >= since.replace('Z', ''),
    );
    const lines = tail === null ? all : all.slice(all.length - Math.min(all.length, Number(tail)));
    const hasTimes = query.get('timestamps') === 'true';
    const textOf = ({ at, text }: Line) => `${hasTimes ? `${at} ` : ''}${text}\n`;
    if (query.get('follow') !== 'true') {
      const text = Buffer.from(lines.map(textOf).join(''));
      const limit = Number(query.get('limitBytes') ?? text.length);
      return { status: 200, body: text.subarray(0, limit).toString() };
    }
    return {
      start: (tell, end) => {
        const followers = this.#followers.get(key) ?? new Set();
        this.#followers.set(key, followers);
        const follower = (line: Line) => tell(textOf(line));
        followers.add(follower);
        const unwatch = store.watch(kindNamed('Pod'), store.version, ({ type, object }) => {
          if (object.metadata.uid === uid && (type === 'DELETED' || hasEnded(object))) finish();
        });
        const finish = () => {
          unwatch();
          if (followers.delete(follower)) end();
        };
        if (lines.length > 0) tell(lines.map(textOf).join(''));
        if (hasEnded(pod)) setImmediate(finish);
        return finish;
      },
    };
  }
}

/** Whether the containers of a pod have ended for good, with which their logs end. */
const hasEnded = ({ status: { phase } }: any) => ['Succeeded', 'Failed'].includes(phase);

function containerOf(pod: any, query: URLSearchParams): string {
  const names = pod.spec.containers.map((each: any) => each.name);
  const container = query.get('container');
  if (!container && names.length > 1) {
    throw status.badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
    );
  }
  if (container && !names.includes(container)) {
    throw status.badRequest(`container ${container} is not valid for pod ${pod.metadata.name}`);
  }
  const tail = query.get('tailLines');
  if (Number(tail) < 0) {
    const cause = status.invalidValue('tailLines', tail!, 'must be greater than or equal to 0');
    throw status.invalid({ ...kindNamed('Pod'), kind: 'PodLogOptions' }, pod.metadata.name, [cause]);
  }
  return container ?? names[0];
}
