import { type ReactNode, useMemo } from 'react';
import type { VariablesOf } from '../api/graphql.ts';
import { useTeamsLive } from '../api/subscriptions.ts';
import { usePages, useView } from '../api/view.ts';
import { ApplicationRecordQuery, ComponentRecordQuery, TeamRecordQuery } from '../documents/record.ts';
import { strings } from '../strings.ts';
import { BlankCard, LoadError, Loading, NotFound } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { groupBy } from '../ui/group-by.ts';
import { EventView, type RecordEvent, type RecordTeam } from './event.tsx';
import { Filters, type Wanted } from './filters.tsx';

const text = strings.record;

type Filter = Omit<VariablesOf<typeof TeamRecordQuery>, 'by' | 'after'>;

/** Whose record it is. */
export type RecordOf =
  | { team: { name: string } }
  | { application: { appId: number } }
  | { component: { componentId: string } };

interface Props {
  of: RecordOf;
  wanted: Wanted;
  want(wanted: Wanted): void;
  /** The content above the record of a team, with its display name. */
  head?(alias: string): ReactNode;
}

/** The document of a record. All have the same answer but for where the members of the team are. */
function requestOf(of: RecordOf) {
  const [by, document] =
    'team' in of
      ? [of.team, TeamRecordQuery]
      : 'application' in of
        ? [of.application, ApplicationRecordQuery]
        : [of.component, ComponentRecordQuery];
  return { by: by as { name: string }, document: document as typeof TeamRecordQuery };
}

const teamIn = (place: RecordTeam | null | undefined) =>
  place && 'team' in place ? (place.team as Pick<RecordTeam, 'id' | 'members'>) : (place ?? undefined);

/** The record of a team, an application or a component as a timeline. */
export function Record({ of, wanted, want, head }: Props) {
  const { by, document } = requestOf(of);
  const variables = { by, ...filterOf(wanted) };
  const { data, error, isLoading, retry } = useView(document, variables);
  const pages = usePages();
  const place = data?.place;
  const team = teamIn(place);
  useTeamsLive(team ? [team.id] : []);
  if (data && !place && !error) return <NotFound />;
  if (error && !place) return <LoadError error={error} retry={retry} />;
  const events = place?.events;
  const endCursor = events?.pageInfo.hasNextPage ? events.pageInfo.endCursor : null;
  return (
    <>
      {place && head?.(place.alias)}
      <Filters wanted={wanted} want={want} members={team?.members.nodes ?? []} />
      {isLoading && <Loading />}
      {events && events.nodes.length === 0 && (
        <BlankCard title={text.empty} text={endCursor ? text.cutText : text.emptyText} />
      )}
      {events && events.nodes.length > 0 && <Timeline events={events.nodes} />}
      {endCursor && (
        <div>
          <Button onClick={() => pages.load(document, { ...variables, after: endCursor })}>
            {strings.common.loadMore}
          </Button>
        </div>
      )}
    </>
  );
}

const spans: { [span: string]: number } = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

function filterOf({ type, user, span }: Wanted): Filter {
  const ms = span ? spans[span] : undefined;
  // To the minute, so that the filter does not change each time that the page is drawn.
  const since = ms === undefined ? undefined : new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000);
  return {
    ...(type && { objectType: type }),
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

/** Types of objects by size: of all changes of a request, the one to the largest object is what a person asked for. */
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
  const days = useMemo(() => groupBy(groupsOf(events), ({ head }) => text.day(new Date(head.at))), [events]);
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
