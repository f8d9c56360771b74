import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';

export const FailureParts = graphql(`
  fragment FailureParts on Error @_unmask { code message ... on InvalidInputError { issues { path message } } }
`);

export const PlanParts = graphql(`
  fragment PlanParts on ObjectChange @_unmask { action objectType objectUid name digest summary }
`);

/** What is read of an upgrade, or of its rollback. */
export const upgradeOutcome =
  'templateName fromVersion toVersion changes { component kind name before after summary } leftStopped jobs { id uid }';

export const TemplateParts = graphql(`
  fragment TemplateParts on Template @_unmask {
    id
    key
    name
    description
    versions(last: 100) {
      nodes { id version isEnabled requiredVariables { componentKey componentName name scope } }
    }
  }
`);

export const JobQuery = lookup('job', 'JobProgress', {
  select: `
    id
    uid
    kind
    status
    note
    error
    startedAt
    endedAt
    components(first: 100) {
      totalCount
      nodes { id name action status note step error }
    }
  `,
});
