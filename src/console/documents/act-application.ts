import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts, TemplateParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

/** The actions of the caller on an application, and the data for their dialogs. */
export const ApplicationActionsQuery = graphql(`
  query ApplicationActions($by: ApplicationRef!) {
    application(by: $by) {
      id
      uid
      name
      revision
      componentCount
      stopped: components(desiredState: STOPPED, first: 1) { totalCount }
      team { id uid name alias }
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
      mayDelete: viewerCan(action: DELETE_APPLICATION)
    }
  }
`);

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
export const UpgradesQuery = graphql(`
  query Upgrades($by: ApplicationRef!) {
    application(by: $by) {
      id
      upgrades { storeName templateId templateName currentVersion canUpgrade upgradeVersions }
    }
  }
`);

export const DeployApplication = graphql(
  mutation('deployApplication', 'plan { ...PlanParts } leftStopped job { id uid }'),
  [PlanParts, FailureParts],
);

export const StartApplication = graphql(
  mutation('startApplication', 'plan { ...PlanParts } job { id uid }'),
  [PlanParts, FailureParts],
);

export const StopApplication = graphql(mutation('stopApplication', 'plan { ...PlanParts } job { id uid }'), [
  PlanParts,
  FailureParts,
]);

export const RestartApplication = graphql(
  mutation('restartApplication', 'plan { ...PlanParts } job { id uid }'),
  [PlanParts, FailureParts],
);

export const DeleteApplication = graphql(
  mutation('deleteApplication', 'plan { ...PlanParts } job { id uid }'),
  [PlanParts, FailureParts],
);

export const InstallApplication = graphql(
  mutation('installApplication', 'plan { ...PlanParts } job { id uid }'),
  [PlanParts, FailureParts],
);

export const UpgradeApplication = graphql(
  mutation(
    'upgradeApplication',
    `
    outcomes {
      templateName
      fromVersion
      toVersion
      changes { component kind name before after }
      leftStopped
      jobs { id uid }
    }
  `,
  ),
  [FailureParts],
);
