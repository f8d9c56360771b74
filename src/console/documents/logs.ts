import { graphql } from '../api/graphql.ts';

export const FoundLogs = graphql(`
  fragment FoundLogs on ComponentLogs @_unmask {
    source
    mayHaveMore
    lines { instance at text }
  }
`);

/** The lines of instances that contain a text. */
export const SearchLogs = graphql(
  `
  query SearchLogs($component: ComponentRef!, $instance: String, $search: String!) {
    component(by: $component) {
      id
      logs(instance: $instance, search: $search, tail: 500) { ...FoundLogs }
    }
  }
`,
  [FoundLogs],
);

/** The lines of a run that contain a text. */
export const SearchRunLog = graphql(
  `
  query SearchRunLog($run: RunRef!, $search: String!) {
    run(by: $run) {
      id
      logs(search: $search, tail: 500) { ...FoundLogs }
    }
  }
`,
  [FoundLogs],
);
