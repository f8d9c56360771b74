import { graphql } from '../api/graphql.ts';

export const JobRow = graphql(`
  fragment JobRow on Job @_unmask {
    id uid kind status createdAt startedAt endedAt error
    user { id email nickName }
  }
`);

export const JobQuery = graphql(
  `
  query Job($job: JobRef!) {
    job(by: $job) {
      ...JobRow
      requestId
      region { id name alias }
      team { id name alias }
      application { id appId name }
      components(first: 100) {
        totalCount
        nodes { id name action status step attemptCount error startedAt endedAt component { id uid } }
      }
    }
  }
`,
  [JobRow],
);
