import { graphql } from '../api/graphql.ts';

const HttpRuleRow = graphql(`
  fragment HttpRuleRow on HttpRule @_unmask {
    id uid domain path accessUrl scheme isDefault isPublished
    region { id driver servesAddresses }
    certificate { id name expiresAt }
    port { id number protocol component { id uid name } }
  }
`);

const TcpRuleRow = graphql(`
  fragment TcpRuleRow on TcpRule @_unmask {
    id endpoint accessUrl isDefault isPublished
    region { id driver servesAddresses }
    port { id number protocol component { id uid name } }
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

/** The fields of a rule that can be changed. */
export const HttpRuleForm = graphql(`
  fragment HttpRuleForm on HttpRule @_unmask {
    id uid revision domain path weight domainHeader domainCookie pathRewrite extensions autoSsl autoSslConfig
    rewriteRules { regex replacement flag }
    certificate { id name names expiresAt }
    configuration {
      bodySizeMB bufferCount bufferSizeKB isBuffered
      connectTimeoutSeconds readTimeoutSeconds sendTimeoutSeconds
      setHeaders { key value }
    }
    port { id mayChange: viewerCan(action: CREATE_TCP_RULE) }
    application { id team { id } }
  }
`);

export const TcpRuleForm = graphql(`
  fragment TcpRuleForm on TcpRule @_unmask {
    id uid revision endpoint mappedAddress
    tcpExtensions: extensions { key value }
    port { id mayChange: viewerCan(action: CREATE_TCP_RULE) }
    application { id team { id } }
  }
`);

export const RuleQuery = graphql(
  `
  query Rule($id: ID!) {
    node(id: $id) {
      id
      ... on HttpRule {
        ...HttpRuleRow
        ...HttpRuleForm
        createdAt
        issuedCertificate { state reason expiresAt }
        region { id name alias }
        application { id uid name team { id name alias } }
      }
      ... on TcpRule {
        ...TcpRuleRow
        ...TcpRuleForm
        createdAt
        region { id name alias }
        application { id uid name team { id name alias } }
      }
    }
  }
`,
  [HttpRuleForm, HttpRuleRow, TcpRuleForm, TcpRuleRow],
);
