import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';
import { RuleLists } from './rules.ts';

/** The fields that the switches of a port need. */
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
  mutation(
    'openOuterService',
    `
    plan { ...PlanParts }
    port {
      id isOuter revision
      gatewayRules { ...RuleLists }
      component { id application { id region { id tcpDomain driver servesAddresses } } }
    }
  `,
  ),
  [PlanParts, RuleLists, FailureParts],
);

export const CloseOuterService = graphql(mutation('closeOuterService', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const OpenInnerService = graphql(
  mutation('openInnerService', 'plan { ...PlanParts } port { id isInner revision }'),
  [PlanParts, FailureParts],
);

export const CloseInnerService = graphql(mutation('closeInnerService', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const DeletePort = graphql(mutation('deletePort', 'plan { ...PlanParts }'), [PlanParts, FailureParts]);

export const ChangePortAlias = graphql(mutation('changePortAlias', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const ChangePortProtocol = graphql(mutation('changePortProtocol', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
