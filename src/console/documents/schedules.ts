import { graphql } from '../api/graphql.ts';

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
