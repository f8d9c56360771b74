import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

/** The schedules of a component. */
export const SchedulesOf = graphql(`
  fragment SchedulesOf on Component @_unmask {
    mayCreateSchedule: viewerCan(action: CREATE_SCHEDULE)
    schedules(first: 20) {
      totalCount
      nodes {
        id uid name cron timeZone command concurrency timeoutSeconds isPaused revision
        nextRuns(first: 3)
        lastSkippedAt lastSkipReason
      }
    }
  }
`);

export const CreateSchedule = graphql(
  `
  mutation CreateSchedule($input: CreateScheduleInput!) {
    result: createSchedule(input: $input) {
      __typename
      ... on CreateSchedulePayload { schedule { id } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const UpdateSchedule = graphql(
  `
  mutation UpdateSchedule($input: UpdateScheduleInput!) {
    result: updateSchedule(input: $input) {
      __typename
      ... on UpdateSchedulePayload { schedule { id isPaused } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeleteSchedule = graphql(
  `
  mutation DeleteSchedule($input: DeleteScheduleInput!) {
    result: deleteSchedule(input: $input) {
      __typename
      ... on DeleteSchedulePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
