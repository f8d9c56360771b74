import { graphql } from '../api/graphql.ts';

export const RunsOf = graphql(`
  fragment RunsOf on Component @_unmask {
    mayRun: viewerCan(action: RUN_COMPONENT)
    runs(first: 10) {
      totalCount
      nodes { id uid command status exitCode reason createdAt endedAt revision schedule { id cron } job { id uid } }
    }
  }
`);
