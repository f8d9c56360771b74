import type { ResultOf, VariablesOf } from '../api/graphql.ts';
import {
  ApplicationRecordQuery,
  ComponentRecordQuery,
  EnterpriseRecordQuery,
  TeamRecordQuery,
} from '../documents/record.ts';
import type { Wanted } from './filters.tsx';

/** Whose record it is. */
export type RecordOf =
  | { team: { name: string } }
  | { application: { appId: number } }
  | { component: { componentId: string } }
  | 'enterprise';

type TeamResult = ResultOf<typeof TeamRecordQuery>;
type Place = NonNullable<TeamResult['place']>;
export type RecordEvent = Place['events']['nodes'][number];

/** A record with the people and applications by which it can be filtered. */
export interface Recorded {
  events: Place['events'];
  people: readonly { id: string; nickName: string }[];
  team?: Omit<Place, 'events'>;
}

export type Variables = Omit<VariablesOf<typeof TeamRecordQuery>, 'by'>;

/** The query of a record. All are sent as if they were that of a team, and differ in where the events are. */
export function requestOf(of: RecordOf): { by?: { name: string }; document: typeof TeamRecordQuery } {
  const [document, by] =
    of === 'enterprise'
      ? [EnterpriseRecordQuery]
      : 'team' in of
        ? [TeamRecordQuery, of.team]
        : 'application' in of
          ? [ApplicationRecordQuery, of.application]
          : [ComponentRecordQuery, of.component];
  return {
    document: document as unknown as typeof TeamRecordQuery,
    ...(by && { by: by as { name: string } }),
  };
}

/** The record in an answer. Undefined if there is no such object, or none that the caller may see. */
export function recordIn(data: TeamResult | undefined): Recorded | undefined {
  const answer = data as Partial<TeamResult & ResultOf<typeof EnterpriseRecordQuery>> | undefined;
  if (answer?.events) return { events: answer.events, people: answer.users?.nodes ?? [] };
  const place = answer?.place;
  if (!place) return undefined;
  const team = 'team' in place ? (place.team as Place) : place;
  return { events: place.events, people: team.members.nodes.flatMap(({ user }) => user ?? []), team };
}

const hour = 3_600_000;
const spans: { [span: string]: number } = { hour, day: 24 * hour, week: 168 * hour, month: 720 * hour };

/** The arguments of the events that fit a filter. */
export function filterOf({ type, action, user, span }: Wanted): Partial<Variables> {
  const ms = span ? spans[span] : undefined;
  // To the minute, so that the filter does not change each time that the page is drawn.
  const since = ms === undefined ? undefined : new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000);
  return {
    ...(type && { objectType: type }),
    ...(action && { action }),
    ...(user && { user: { id: user } }),
    ...(since && { since: since.toISOString() }),
  };
}
