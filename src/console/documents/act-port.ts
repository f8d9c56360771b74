import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { RuleLists } from './rules.ts';

/** What the switches of a port need. */
export const SwitchParts = graphql(`
  fragment SwitchParts on Port @_unmask {
    id number protocol isInner isOuter serviceName revision
    mayOpenOuter: viewerCan(action: OPEN_OUTER_SERVICE)
    mayCloseOuter: viewerCan(action: CLOSE_OUTER_SERVICE)
    mayOpenInner: viewerCan(action: OPEN_INNER_SERVICE)
    mayCloseInner: viewerCan(action: CLOSE_INNER_SERVICE)
    component { id uid name kind image }
  }
`);

export const PortActionsQuery = graphql(
  `
  query PortActions($by: PortRef!) {
    port(by: $by) {
      ...SwitchParts
      alias
      mayAddHttpRule: viewerCan(action: CREATE_HTTP_RULE)
      mayAddTcpRule: viewerCan(action: CREATE_TCP_RULE)
      mayDelete: viewerCan(action: DELETE_PORT)
      mayChangeAlias: viewerCan(action: CHANGE_PORT_ALIAS)
      mayChangeProtocol: viewerCan(action: CHANGE_PORT_PROTOCOL)
      component { id uid name application { id uid team { id } } }
    }
  }
`,
  [SwitchParts],
);

export const OpenOuterService = graphql(
  `
  mutation OpenOuterService($input: OpenOuterServiceInput!) {
    result: openOuterService(input: $input) {
      __typename
      ... on OpenOuterServicePayload {
        plan { ...PlanParts }
        port {
          id isOuter revision
          gatewayRules { ...RuleLists }
          component { id application { id region { id tcpDomain driver servesAddresses } } }
        }
      }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, RuleLists, FailureParts],
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
      ... on OpenInnerServicePayload { plan { ...PlanParts } port { id isInner revision } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
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

export const ChangePortAlias = graphql(
  `
  mutation ChangePortAlias($input: ChangePortAliasInput!) {
    result: changePortAlias(input: $input) {
      __typename
      ... on ChangePortAliasPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const ChangePortProtocol = graphql(
  `
  mutation ChangePortProtocol($input: ChangePortProtocolInput!) {
    result: changePortProtocol(input: $input) {
      __typename
      ... on ChangePortProtocolPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
