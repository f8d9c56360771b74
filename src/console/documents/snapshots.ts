import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

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

export const CreateVolumeSnapshot = graphql(
  `
  mutation CreateVolumeSnapshot($input: CreateVolumeSnapshotInput!) {
    result: createVolumeSnapshot(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const RestoreVolumeSnapshot = graphql(
  `
  mutation RestoreVolumeSnapshot($input: RestoreVolumeSnapshotInput!) {
    result: restoreVolumeSnapshot(input: $input) {
      __typename
      ... on RestoreVolumeSnapshotPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const DeleteVolumeSnapshot = graphql(
  `
  mutation DeleteVolumeSnapshot($input: DeleteVolumeSnapshotInput!) {
    result: deleteVolumeSnapshot(input: $input) {
      __typename
      ... on DeleteVolumeSnapshotPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const SetSnapshotSchedule = graphql(
  `
  mutation SetSnapshotSchedule($input: SetSnapshotScheduleInput!) {
    result: setSnapshotSchedule(input: $input) {
      __typename
      ... on SetSnapshotSchedulePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const RemoveSnapshotSchedule = graphql(
  `
  mutation RemoveSnapshotSchedule($input: RemoveSnapshotScheduleInput!) {
    result: removeSnapshotSchedule(input: $input) {
      __typename
      ... on RemoveSnapshotSchedulePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
