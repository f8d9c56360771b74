import { graphql } from '../api/graphql.ts';

export const HttpRuleRow = graphql(`
  fragment HttpRuleRow on HttpRule @_unmask {
    id uid domain path accessUrl protocol isDefault isPublished
    region { id driver servesAddresses }
    certificate { id name expiresAt }
    port { id number component { id uid name } }
  }
`);

export const TcpRuleRow = graphql(`
  fragment TcpRuleRow on TcpRule @_unmask {
    id endpoint accessUrl protocol isDefault isPublished
    region { id driver servesAddresses }
    port { id number component { id uid name } }
  }
`);

export const RuleLists = graphql(
  `
  fragment RuleLists on GatewayRules @_unmask {
    http(first: 50) { totalCount nodes { ...HttpRuleRow } }
    tcp(first: 50) { totalCount nodes { ...TcpRuleRow } }
  }
`,
  [HttpRuleRow, TcpRuleRow],
);

export const RuleQuery = graphql(
  `
  query Rule($id: ID!) {
    node(id: $id) {
      id
      ... on HttpRule {
        ...HttpRuleRow
        weight createdAt domainHeader domainCookie pathRewrite
        configuration { connectTimeoutSeconds readTimeoutSeconds sendTimeoutSeconds bodySizeMB isBuffered }
        region { id name alias }
        application { id appId name team { id name alias } }
      }
      ... on TcpRule {
        ...TcpRuleRow
        mappedAddress createdAt
        region { id name alias }
        application { id appId name team { id name alias } }
      }
    }
  }
`,
  [HttpRuleRow, TcpRuleRow],
);
