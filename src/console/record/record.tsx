import { type ReactNode, useMemo } from 'react';
import type { VariablesOf } from '../api/graphql.ts';
import { useTeamsLive } from '../api/subscriptions.ts';
import { usePages, useView } from '../api/view.ts';
import { RecordQuery } from '../documents/record.ts';
import { strings } from '../strings.ts';
import { Blank, LoadError, Loading, NotFound } from '../ui/blocks.tsx';
import { EventView, type RecordEvent } from './event.tsx';
import { Filters, type Wanted } from './filters.tsx';

const text = strings.record;

type Filter = VariablesOf<typeof RecordQuery>['filter'];

interface Props {
  team: { name: string } | { teamId: string };
  /** The one object whose events are shown. */
  object?: { type: string; uid: string };
  wanted: Wanted;
  want(wanted: Wanted): void;
  /** What is above the record, with the display name of the team. */
  head?(alias: string): ReactNode;
}

/** The record of a team, or of one object in it, as a timeline. */
export function Record({ team: by, object, wanted, want, head }: Props) {
  const variables = { by, filter: filterOf(wanted, object) };
  const { data, error, isLoading, retry } = useView(RecordQuery, variables);
  const pages = usePages();
  const team = data?.team;
  useTeamsLive(team ? [team.id] : []);
  if (data && !team && !error) return <NotFound />;
  if (error && !team) return <LoadError error={error} retry={retry} />;
  const events = team?.events;
  const endCursor = events?.pageInfo.hasNextPage ? events.pageInfo.endCursor : null;
  return (
    <>
      {team && head?.(team.alias)}
      <Filters
        wanted={wanted}
        want={want}
        members={team?.members.nodes ?? []}
        hasObject={object !== undefined}
      />
      {isLoading && <Loading />}
      {events && events.nodes.length === 0 && (
        <div className="card">
          <Blank title={text.empty} text={text.emptyText} />
        </div>
      )}
      {events && events.nodes.length > 0 && <Timeline events={events.nodes} />}
      {endCursor && (
        <div>
          <button
            type="button"
            className="button"
            onClick={() => pages.load(RecordQuery, { ...variables, after: endCursor })}
          >
            {strings.common.loadMore}
          </button>
        </div>
      )}
    </>
  );
}

const spans: { [span: string]: number } = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

function filterOf({ type, user, span }: Wanted, object: Props['object']): Filter {
  const ms = span ? spans[span] : undefined;
  // To the minute, so that the filter does not change each time that the page is drawn.
  const since = ms === undefined ? undefined : new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000);
  return {
    ...(object ? { objectType: object.type, objectUid: object.uid } : type && { objectType: type }),
    ...(user && { user: { id: user } }),
    ...(since && { since: since.toISOString() }),
  };
}

/** Events that one request left next to each other. */
interface Group {
  key: string;
  head: RecordEvent;
  rest: RecordEvent[];
}

/** What a person asked for, of all that a request changed: the largest thing. */
const weights = ['Team', 'Region', 'Application', 'ComponentGroup', 'Component', 'Port'];
const weightOf = ({ objectType }: RecordEvent) => {
  const index = weights.indexOf(objectType);
  return index < 0 ? weights.length : index;
};

function groupsOf(events: readonly RecordEvent[]): Group[] {
  const runs: RecordEvent[][] = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last?.[0]?.requestId === event.requestId) last.push(event);
    else runs.push([event]);
  }
  return runs.map((run) => {
    const head = run.reduce((best, each) => (weightOf(each) < weightOf(best) ? each : best));
    return { key: head.id, head, rest: run.filter((each) => each !== head) };
  });
}

function Timeline({ events }: { events: readonly RecordEvent[] }) {
  const days = useMemo(() => {
    const found = new Map<string, Group[]>();
    for (const group of groupsOf(events)) {
      const day = text.day(new Date(group.head.at));
      found.set(day, [...(found.get(day) ?? []), group]);
    }
    return [...found];
  }, [events]);
  return (
    <div className="timeline">
      {days.map(([day, groups]) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <ol className="card">
            {groups.map(({ key, head, rest }) => (
              <li key={key}>
                <EventView event={head} />
                {rest.length > 0 && (
                  <details className="more">
                    <summary>{text.more(rest.length)}</summary>
                    <ol>
                      {rest.map((event) => (
                        <li key={event.id}>
                          <EventView event={event} isPart />
                        </li>
                      ))}
                    </ol>
                  </details>
                )}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}
