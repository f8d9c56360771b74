import type { Trellis } from './trellis.ts';

export interface RecordedChange {
  requestId: string;
  tokenId: string | null;
  actor: unknown;
  objectUid: string;
  changes: Record<string, unknown>;
}

/** The events of a team with an action, oldest first, with the new values of what changed. */
export async function eventsOf(trellis: Trellis, teamId: string, action: string): Promise<RecordedChange[]> {
  const { team } = await trellis.data(
    `query($team: String!, $action: String!) { team(by: { teamId: $team }) { events(action: $action, first: 50) { nodes {
      requestId tokenId actor { __typename } objectUid changes { field newValue } } } } }`,
    { team: teamId, action },
  );
  return team.events.nodes
    .map(({ changes, ...event }: any) => ({
      ...event,
      changes: Object.fromEntries(
        changes.map(({ field, newValue }: { field: string; newValue: unknown }) => [field, newValue]),
      ),
    }))
    .reverse();
}
