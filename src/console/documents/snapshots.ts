import { graphql } from '../api/graphql.ts';

/** The snapshots of a volume, and when others are made. */
export const SnapshotsQuery = graphql(`
  query Snapshots($id: ID!) {
    node(id: $id) {
      __typename
      ... on Volume {
        id
        revision
        snapshots { name isReady createdAt bytes problem isScheduled }
        snapshotSchedule {
          cron timeZone keep
          nextRuns(first: 3)
          lastRunAt lastSkippedAt lastSkipReason lastSkipMessage
        }
      }
    }
  }
`);
