import { useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import type { ResultOf } from '../api/graphql.ts';
import { ComponentLogs } from '../documents/instances.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { text as searching } from './strings.ts';

const text = strings.instances;
const FoundLines = lazyPage(async () => (await import('./found.tsx')).FoundLines);
type Line = ResultOf<typeof ComponentLogs>['componentLogs']['lines'][number] & { key: number };

/** Older lines are dropped. */
const maxLines = 2_000;

interface Props {
  uid: string;
  /** Whose lines they are, for people. */
  name: string;
  /** Null for all instances. */
  instance: string | null;
  /** The `uid` of a run, whose lines are followed instead of those of instances. */
  run?: string;
}

/** The last lines and those that are written from now on. Stays at the end, unless one has scrolled away from it. */
export function Logs({ uid, name, instance, run }: Props) {
  const client = useClient();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [error, setError] = useState<CombinedError>();
  const [search, setSearch] = useState('');
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    let count = 0;
    const variables = {
      component: { componentId: uid },
      instance,
      run: run === undefined ? null : { runId: run },
    };
    const { unsubscribe } = client.subscription(ComponentLogs, variables).subscribe((item) => {
      if (item.error) setError(item.error);
      // When a log ends, its last item comes again.
      if (!item.hasNext) return;
      const added = (item.data?.componentLogs.lines ?? []).map((line) => ({ ...line, key: count++ }));
      setLines((before) => [...before, ...added].slice(-maxLines));
    });
    return unsubscribe;
  }, [client, uid, instance, run]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when lines were added
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines, search]);
  const field = <SearchField label={searching.search} value={search} change={setSearch} />;
  if (search.trim() !== '') {
    return (
      <>
        {field}
        <FoundLines {...{ uid, name, instance, run, search }} />
      </>
    );
  }
  return (
    <>
      {field}
      {error && <Notice tone="warn">{error.graphQLErrors[0]?.message ?? strings.errors.network}</Notice>}
      <pre
        ref={box}
        className="card logs"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can scroll it
        tabIndex={0}
        role="log"
        aria-label={text.logs(name)}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - 30;
        }}
      >
        {lines.length === 0 && <span className="soft">{text.noLines}</span>}
        {lines.map(({ key, at, instance: from, text: line }) => (
          <div key={key}>
            {at && <span className="soft">{at.slice(11, 19)} </span>}
            {instance === null && run === undefined && <span className="soft">{from} </span>}
            {line}
          </div>
        ))}
      </pre>
    </>
  );
}
