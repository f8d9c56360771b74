import { apiVersionOf, type Kind } from './kinds.ts';
import type { Stream } from './logs.ts';
import { type Representation, represented } from './representations.ts';
import type { Matched } from './requests.ts';
import { fieldTest, labelTest } from './selectors.ts';
import { type Answer, failure } from './status.ts';
import type { Change, Store, Stored } from './store.ts';
import { shown } from './writes.ts';

/** The watch that a request asks for. `streams` has what ends those that are open. */
export function watchOf(
  store: Store,
  streams: Set<() => void>,
  { kind, namespace, query }: Matched,
  as: Representation,
): Answer | Stream {
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version)) {
    throw failure(400, 'BadRequest', `resourceVersion: Invalid value: "${version}": invalid syntax`);
  }
  if (query.get('sendInitialEvents') && query.get('resourceVersionMatch')) {
    throw failure(422, 'Invalid', 'ListOptions.meta.k8s.io "" is invalid', {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
    });
  }
  const tests = [labelTest(query.get('labelSelector')), fieldTest(kind.plural, query.get('fieldSelector'))];
  const isIn = (object: any) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    tests.every((test) => test(object));
  // Each event has one object.
  represented({ metadata: {} }, as);
  return {
    start: (tell, end) => {
      const isFirst = version === '' || version === '0';
      if (!isFirst && Number(version) < store.oldest) {
        const message = `too old resource version: ${version} (${store.oldest})`;
        tell({ type: 'ERROR', object: failure(410, 'Expired', message).answer.body });
        end();
        return () => {};
      }
      const tellOf = (type: string, stored: Pick<Stored, 'object' | 'managers'>) =>
        tell({ type, object: represented(shown(stored), as) });
      const first = isFirst ? store.entries(kind).filter(({ object }) => isIn(object)) : [];
      for (const stored of first) tellOf('ADDED', stored);
      const stop = store.watch(kind, isFirst ? store.version : Number(version), (change) => {
        const event = eventOf(change, isIn);
        if (event) tellOf(event.type, { object: event.object, managers: change.managers });
      });
      const timers: NodeJS.Timeout[] = [];
      const finish = () => {
        stop();
        for (const timer of timers) clearTimeout(timer);
        streams.delete(finish);
        end();
      };
      streams.add(finish);
      const seconds = Number(query.get('timeoutSeconds') ?? 0);
      // Waits on time: an API server ends a watch after the seconds that the client asks for.
      if (seconds > 0) timers.push(setTimeout(finish, seconds * 1000));
      if (query.get('allowWatchBookmarks') === 'true') {
        timers.push(
          // Waits on time: an API server sends bookmarks at intervals.
          setInterval(() => tell(bookmark(store, kind, as)), seconds > 4 && seconds < 60 ? 7_000 : 60_000),
        );
      }
      return finish;
    },
  };
}

function bookmark(store: Store, kind: Kind, as: Representation): object {
  const metadata = { resourceVersion: String(store.version), creationTimestamp: null };
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata };
  return { type: 'BOOKMARK', object: represented(object, as) };
}

/** A change as a watch with a selector sees it; undefined if it does not. */
function eventOf(
  { type, object, before, version }: Change,
  isIn: (object: any) => boolean,
): { type: string; object: any } | undefined {
  const [was, is] = [before !== undefined && isIn(before), isIn(object)];
  if (type === 'DELETED') return was || is ? { type, object } : undefined;
  if (was && !is) {
    const metadata = { ...before.metadata, resourceVersion: String(version) };
    return { type: 'DELETED', object: { ...before, metadata } };
  }
  if (!is) return undefined;
  return { type: was ? 'MODIFIED' : 'ADDED', object };
}
