import { graphql } from '../api/graphql.ts';
import { TemplateParts } from './act-parts.ts';
import { lookup } from './query.ts';

/** The actions of the caller on an application, and the data for their dialogs. */
export const ApplicationActionsQuery = lookup('application', 'ApplicationActions', {
  select: `
    id
    uid
    name
    revision
    componentCount
    stopped: components(desiredState: STOPPED, first: 1) { totalCount }
    team { id uid name alias }
    region { id name }
    mayUpdate: viewerCan(action: UPDATE_APPLICATION)
    mayCreate: viewerCan(action: CREATE_COMPONENT)
    mayPublish: viewerCan(action: PUBLISH_APPLICATION)
    mayDeploy: viewerCan(action: DEPLOY_APPLICATION)
    mayStart: viewerCan(action: START_APPLICATION)
    mayStop: viewerCan(action: STOP_APPLICATION)
    mayRestart: viewerCan(action: RESTART_APPLICATION)
    mayInstall: viewerCan(action: INSTALL_APPLICATION)
    mayRollBack: viewerCan(action: ROLLBACK_APPLICATION)
    mayUpgrade: viewerCan(action: UPGRADE_APPLICATION)
    mayCopy: viewerCan(action: COPY_APPLICATION)
    mayDelete: viewerCan(action: DELETE_APPLICATION)
  `,
});

/** The templates that can be installed: those of the enterprise and those of the team. */
export const CatalogueQuery = graphql(
  `
  query Catalogue($team: TeamRef!) {
    templates(first: 100) { nodes { ...TemplateParts } }
    team(by: $team) { id templates(first: 100) { nodes { ...TemplateParts } } }
  }
`,
  [TemplateParts],
);

/** The versions that the templates of an application can be upgraded to, which their stores are asked for. */
export const UpgradesQuery = lookup('application', 'Upgrades', {
  select: `
    id
    upgrades { storeName templateId templateName currentVersion canUpgrade upgradeVersions }
  `,
});
