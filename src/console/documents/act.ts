import { graphql } from '../api/graphql.ts';

const FailureParts = graphql(`
  fragment FailureParts on Error @_unmask { code message ... on InvalidInputError { issues { path message } } }
`);
const PlanParts = graphql(`
  fragment PlanParts on ObjectChange @_unmask { action objectType objectUid name }
`);

const TemplateParts = graphql(`
  fragment TemplateParts on Template @_unmask {
    id
    key
    name
    description
    versions(first: 50) {
      nodes { id version isEnabled requiredVariables { componentKey componentName name scope } }
    }
  }
`);

/** What the caller may do with an application, and what is shown while they do. */
export const ApplicationActionsQuery = graphql(`
  query ApplicationActions($by: ApplicationRef!) {
    application(by: $by) {
      id
      appId
      name
      revision
      componentCount
      team { id uid name alias }
      mayDeploy: viewerCan(action: DEPLOY_APPLICATION)
      mayStart: viewerCan(action: START_APPLICATION)
      mayStop: viewerCan(action: STOP_APPLICATION)
      mayRestart: viewerCan(action: RESTART_APPLICATION)
      mayInstall: viewerCan(action: INSTALL_APPLICATION)
      mayUpgrade: viewerCan(action: UPGRADE_APPLICATION)
      mayDelete: viewerCan(action: DELETE_APPLICATION)
    }
  }
`);

export const ComponentActionsQuery = graphql(`
  query ComponentActions($by: ComponentRef!) {
    component(by: $by) {
      id
      uid
      name
      revision
      replicas
      cpuMillicores
      memoryMiB
      mayDeploy: viewerCan(action: DEPLOY_COMPONENT)
      mayStart: viewerCan(action: START_COMPONENT)
      mayStop: viewerCan(action: STOP_COMPONENT)
      mayRestart: viewerCan(action: RESTART_COMPONENT)
      mayScale: viewerCan(action: SCALE_COMPONENT)
      maySetVariables: viewerCan(action: SET_VARIABLES)
      mayAddPort: viewerCan(action: ADD_PORT)
      mayDelete: viewerCan(action: DELETE_COMPONENT)
    }
  }
`);

export const PortActionsQuery = graphql(`
  query PortActions($by: PortRef!) {
    port(by: $by) {
      id
      number
      protocol
      isInner
      isOuter
      revision
      mayOpenOuter: viewerCan(action: OPEN_OUTER_SERVICE)
      mayCloseOuter: viewerCan(action: CLOSE_OUTER_SERVICE)
      mayOpenInner: viewerCan(action: OPEN_INNER_SERVICE)
      mayCloseInner: viewerCan(action: CLOSE_INNER_SERVICE)
      mayAddHttpRule: viewerCan(action: CREATE_HTTP_RULE)
      mayAddTcpRule: viewerCan(action: CREATE_TCP_RULE)
      mayDelete: viewerCan(action: DELETE_PORT)
      component { id uid name application { id appId } }
    }
  }
`);

export const VariablesQuery = graphql(`
  query Variables($by: ComponentRef!, $after: String) {
    component(by: $by) {
      id
      variables(first: 100, after: $after) {
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes { id name value scope isSecret isChangeable isDerived revision }
      }
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

export const JobQuery = graphql(`
  query JobProgress($by: JobRef!) {
    job(by: $by) {
      id
      uid
      kind
      status
      error
      startedAt
      endedAt
      components(first: 100) {
        totalCount
        nodes { id name action status step error }
      }
    }
  }
`);

export const DeployApplication = graphql(
  `
  mutation DeployApplication($input: DeployApplicationInput!) {
    result: deployApplication(input: $input) {
      __typename
      ... on DeployApplicationPayload { plan { ...PlanParts } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const StartApplication = graphql(
  `
  mutation StartApplication($input: StartApplicationInput!) {
    result: startApplication(input: $input) {
      __typename
      ... on StartApplicationPayload { job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const StopApplication = graphql(
  `
  mutation StopApplication($input: StopApplicationInput!) {
    result: stopApplication(input: $input) {
      __typename
      ... on StopApplicationPayload { plan { ...PlanParts } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const RestartApplication = graphql(
  `
  mutation RestartApplication($input: RestartApplicationInput!) {
    result: restartApplication(input: $input) {
      __typename
      ... on RestartApplicationPayload { job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeleteApplication = graphql(
  `
  mutation DeleteApplication($input: DeleteApplicationInput!) {
    result: deleteApplication(input: $input) {
      __typename
      ... on DeleteApplicationPayload { plan { ...PlanParts } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const InstallApplication = graphql(
  `
  mutation InstallApplication($input: InstallApplicationInput!) {
    result: installApplication(input: $input) {
      __typename
      ... on InstallApplicationPayload { plan { ...PlanParts } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const UpgradeApplication = graphql(
  `
  mutation UpgradeApplication($input: UpgradeApplicationInput!) {
    result: upgradeApplication(input: $input) {
      __typename
      ... on UpgradeApplicationPayload {
        outcomes {
          templateName
          fromVersion
          toVersion
          changes { component kind name before after }
          jobs { id uid }
        }
      }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeployComponent = graphql(
  `
  mutation DeployComponent($input: DeployComponentInput!) {
    result: deployComponent(input: $input) {
      __typename
      ... on DeployComponentPayload { plan { ...PlanParts } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const StartComponent = graphql(
  `
  mutation StartComponent($input: StartComponentInput!) {
    result: startComponent(input: $input) {
      __typename
      ... on StartComponentPayload { job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const StopComponent = graphql(
  `
  mutation StopComponent($input: StopComponentInput!) {
    result: stopComponent(input: $input) {
      __typename
      ... on StopComponentPayload { plan { ...PlanParts } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const RestartComponent = graphql(
  `
  mutation RestartComponent($input: RestartComponentInput!) {
    result: restartComponent(input: $input) {
      __typename
      ... on RestartComponentPayload { job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const ScaleComponent = graphql(
  `
  mutation ScaleComponent($input: ScaleComponentInput!) {
    result: scaleComponent(input: $input) {
      __typename
      ... on ScaleComponentPayload { component { id replicas cpuMillicores memoryMiB revision } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeleteComponent = graphql(
  `
  mutation DeleteComponent($input: DeleteComponentInput!) {
    result: deleteComponent(input: $input) {
      __typename
      ... on DeleteComponentPayload { plan { ...PlanParts } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const SetVariables = graphql(
  `
  mutation SetVariables($input: SetVariablesInput!) {
    result: setVariables(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const AddPort = graphql(
  `
  mutation AddPort($input: AddPortInput!) {
    result: addPort(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const OpenOuterService = graphql(
  `
  mutation OpenOuterService($input: OpenOuterServiceInput!) {
    result: openOuterService(input: $input) {
      __typename
      ... on OpenOuterServicePayload { port { id isOuter revision } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const CloseOuterService = graphql(
  `
  mutation CloseOuterService($input: CloseOuterServiceInput!) {
    result: closeOuterService(input: $input) {
      __typename
      ... on CloseOuterServicePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const OpenInnerService = graphql(
  `
  mutation OpenInnerService($input: OpenInnerServiceInput!) {
    result: openInnerService(input: $input) {
      __typename
      ... on OpenInnerServicePayload { port { id isInner revision } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const CloseInnerService = graphql(
  `
  mutation CloseInnerService($input: CloseInnerServiceInput!) {
    result: closeInnerService(input: $input) {
      __typename
      ... on CloseInnerServicePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const DeletePort = graphql(
  `
  mutation DeletePort($input: DeletePortInput!) {
    result: deletePort(input: $input) {
      __typename
      ... on DeletePortPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const CreateHttpRule = graphql(
  `
  mutation CreateHttpRule($input: CreateHttpRuleInput!) {
    result: createHttpRule(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const CreateTcpRule = graphql(
  `
  mutation CreateTcpRule($input: CreateTcpRuleInput!) {
    result: createTcpRule(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);
