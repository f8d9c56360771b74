import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';

export const FoundLogs = graphql(`
  fragment FoundLogs on ComponentLogs @_unmask {
    source
    mayHaveMore
    lines { instance at text }
  }
`);

/** The lines of instances that contain a text. */
export const SearchLogs = lookup('component', 'SearchLogs', {
  variables: '$instance: String, $search: String!',
  select: `
    id
    logs(instance: $instance, search: $search, tail: 500) { ...FoundLogs }
  `,
  fragments: [FoundLogs],
});

/** The lines of a run that contain a text. */
export const SearchRunLog = lookup('run', 'SearchRunLog', {
  variables: '$search: String!',
  select: `
    id
    logs(search: $search, tail: 500) { ...FoundLogs }
  `,
  fragments: [FoundLogs],
});
