import { useQuery } from 'urql';
import type { FragmentOf } from '../api/graphql.ts';
import { type FoundLogs, SearchLogs, SearchRunLog } from '../documents/logs.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { text } from './strings.ts';

interface Props {
  uid: string;
  /** Whose lines they are, for people. */
  name: string;
  /** Null for all instances. */
  instance: string | null;
  /** The `uid` of a run, whose lines are searched instead of those of instances. */
  run: string | undefined;
  search: string;
}

/** The lines of a log that contain a text. */
export function FoundLines({ uid, name, instance, run, search }: Props) {
  const [ofInstances] = useQuery({
    query: SearchLogs,
    variables: { by: { componentId: uid }, instance, search },
    requestPolicy: 'network-only',
    pause: run !== undefined,
  });
  const [ofRun] = useQuery({
    query: SearchRunLog,
    variables: { by: { runId: run ?? '' }, search },
    requestPolicy: 'network-only',
    pause: run === undefined,
  });
  const { error, fetching } = run === undefined ? ofInstances : ofRun;
  const logs = run === undefined ? ofInstances.data?.component?.logs : ofRun.data?.run?.logs;
  if (fetching) return <p role="status">{strings.common.loading}</p>;
  if (!logs) {
    return <Notice tone="warn">{error?.graphQLErrors[0]?.message ?? strings.errors.network}</Notice>;
  }
  const hasNames = run === undefined && instance === null;
  return <Found logs={logs} {...{ name, search, hasNames }} />;
}

function Found({
  logs: { lines, source, mayHaveMore },
  name,
  search,
  hasNames,
}: Pick<Props, 'name' | 'search'> & { logs: FragmentOf<typeof FoundLogs>; hasNames: boolean }) {
  return (
    <>
      <section
        className="card logs"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can scroll it
        tabIndex={0}
        aria-label={text.found(name)}
      >
        {lines.length === 0 && <span className="soft">{text.none}</span>}
        {lines.map(({ at, instance, text: line }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was found does not change
          <div key={index}>
            {at && <span className="soft">{at.slice(0, 19).replace('T', ' ')} </span>}
            {hasNames && <span className="soft">{instance} </span>}
            <Marked line={line} search={search} />
          </div>
        ))}
      </section>
      <p className="soft small" role="status">
        {source && text.sources[source]} {mayHaveMore && text.more}
      </p>
    </>
  );
}

/** A line, with what was searched for where it is found first. */
function Marked({ line, search }: { line: string; search: string }) {
  const start = line.toLowerCase().indexOf(search.toLowerCase());
  // The lower case of some letters has another length.
  if (start < 0) return line;
  const end = start + search.length;
  return (
    <>
      {line.slice(0, start)}
      <mark>{line.slice(start, end)}</mark>
      {line.slice(end)}
    </>
  );
}
