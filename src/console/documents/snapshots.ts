import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

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

export const CreateVolumeSnapshot = graphql(mutation('createVolumeSnapshot'), [FailureParts]);

export const RestoreVolumeSnapshot = graphql(mutation('restoreVolumeSnapshot', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const DeleteVolumeSnapshot = graphql(mutation('deleteVolumeSnapshot', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const SetSnapshotSchedule = graphql(mutation('setSnapshotSchedule', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const RemoveSnapshotSchedule = graphql(mutation('removeSnapshotSchedule', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
