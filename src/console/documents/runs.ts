import { graphql } from '../api/graphql.ts';
import { FailureParts } from './act-parts.ts';

/** The runs of a component. */
export const RunsOf = graphql(`
  fragment RunsOf on Component @_unmask {
    mayRun: viewerCan(action: RUN_COMPONENT)
    runs(first: 10) {
      totalCount
      nodes { id uid command status exitCode reason createdAt endedAt revision schedule { id cron } }
    }
  }
`);

export const RunComponent = graphql(
  `
  mutation RunComponent($input: RunComponentInput!) {
    result: runComponent(input: $input) {
      __typename
      ... on RunComponentPayload { run { id } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const CancelRun = graphql(
  `
  mutation CancelRun($input: CancelRunInput!) {
    result: cancelRun(input: $input) {
      __typename
      ... on CancelRunPayload { run { id status } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);
