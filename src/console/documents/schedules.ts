import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

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

export const CreateSchedule = graphql(mutation('createSchedule', 'schedule { id }'), [FailureParts]);

export const UpdateSchedule = graphql(mutation('updateSchedule', 'schedule { id isPaused }'), [FailureParts]);

export const DeleteSchedule = graphql(mutation('deleteSchedule', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
