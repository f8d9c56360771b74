import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';

export const JobRow = graphql(`
  fragment JobRow on Job @_unmask {
    id uid kind status revision createdAt startedAt endedAt outcome note error
    user { id email nickName }
  }
`);

export const JobQuery = lookup('job', 'Job', {
  select: `
    ...JobRow
    requestId
    region { id name alias }
    team { id name alias mayApply: viewerCan(action: APPLY_MANIFEST) }
    application { id uid name mayCancel: viewerCan(action: UPDATE_APPLICATION) }
    components(first: 100) {
      totalCount
      nodes { id name action status outcome digest note step attemptCount error startedAt endedAt component { id uid } preDeployRun { id uid status } }
    }
  `,
  fragments: [JobRow],
});

/** The jobs of an application that have not ended. */
export const RunningJobsQuery = lookup('application', 'RunningJobs', {
  select: `
    id
    mayCancel: viewerCan(action: UPDATE_APPLICATION)
    running: jobs(first: 5, status: RUNNING) { nodes { ...JobRow } }
    pending: jobs(first: 5, status: PENDING) { nodes { ...JobRow } }
  `,
  fragments: [JobRow],
});
