import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';
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

/** The fields that adding a rule for a port needs. */
export const RulePort = graphql(
  `
  fragment RulePort on Port @_unmask {
    ...SwitchParts
    mayAddHttpRule: viewerCan(action: CREATE_HTTP_RULE)
    mayAddTcpRule: viewerCan(action: CREATE_TCP_RULE)
    component { id uid name application { id uid team { id } } }
  }
`,
  [SwitchParts],
);

export const PortActionsQuery = lookup('port', 'PortActions', {
  select: `
    ...RulePort
    alias
    mayDelete: viewerCan(action: DELETE_PORT)
    mayChangeAlias: viewerCan(action: CHANGE_PORT_ALIAS)
    mayChangeProtocol: viewerCan(action: CHANGE_PORT_PROTOCOL)
  `,
  fragments: [RulePort],
});

/** A port that was opened, with its addresses. */
export const OpeningParts = graphql(
  `
  fragment OpeningParts on OpenOuterServicePayload @_unmask {
    port {
      id isOuter revision
      gatewayRules { ...RuleLists }
      component { id application { id region { id tcpDomain driver servesAddresses } } }
    }
  }
`,
  [RuleLists],
);
