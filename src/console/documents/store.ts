import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';

const TemplateVersionParts = graphql(`
  fragment TemplateVersionParts on TemplateVersion @_unmask {
    id version alias description isEnabled revision createdAt updatedAt
    requiredVariables { componentKey componentName name scope }
  }
`);

/** The templates of the enterprise and of the caller's teams. The newest versions are the last 100 that were published. */
export const TemplatesQuery = graphql(`
  query Templates($search: String, $after: String) {
    templates(first: 50, search: $search, after: $after) {
      ${page(`
        id uid name description updatedAt
        team { id name alias }
        versions(last: 100) { totalCount nodes { id version isEnabled } }
      `)}
    }
  }
`);

export const TemplateQuery = graphql(
  `
  query Template($by: TemplateRef!) {
    viewer { isAdministrator }
    template(by: $by) {
      id uid key name description updatedAt
      team { id name alias mayPublish: viewerCan(action: APPLY_MANIFEST) }
      versions(last: 100) { totalCount nodes { ...TemplateVersionParts } }
    }
  }
`,
  [TemplateVersionParts],
);

/** Applications to install a template into. */
export const InstallTargetsQuery = graphql(`
  query InstallTargets($search: String) {
    applications(first: 30, search: $search) {
      totalCount
      nodes {
        id uid name revision
        team { id uid name alias }
        region { id alias }
        mayInstall: viewerCan(action: INSTALL_APPLICATION)
      }
    }
  }
`);

/** The templates that an application can be published as a version of. */
export const PublishQuery = graphql(`
  query Publish($team: TeamRef!) {
    viewer { isAdministrator }
    templates(first: 100) { nodes { id uid name team { id } versions(last: 100) { nodes { id version } } } }
    team(by: $team) {
      id
      templates(first: 100) { nodes { id uid name team { id } versions(last: 100) { nodes { id version } } } }
    }
  }
`);

/** The groups that were installed in an application, by their components. */
export const GroupsQuery = lookup('application', 'Groups', {
  variables: '$after: String',
  select: `
    id
    mayChange: viewerCan(action: UPGRADE_APPLICATION)
    stopped: components(desiredState: STOPPED, first: 1) { totalCount }
    components(first: 100, after: $after) {
      ${page('id group { id uid name templateId templateVersion rollbackVersion revision }')}
    }
  `,
});
