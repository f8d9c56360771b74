import { graphql } from '../api/graphql.ts';
import { page } from './query.ts';

const ExposedPort = graphql(`
  fragment ExposedPort on Port @_unmask {
    id number protocol
    component {
      id uid name kind image
      application { id uid name team { id name alias } }
    }
  }
`);

const PublicationParts = graphql(`
  fragment PublicationParts on Event @_unmask {
    id at
    actor { ... on User { id nickName } ... on ServiceAccount { id name } }
  }
`);

export const ExposedHttp = graphql(
  `
  fragment ExposedHttp on HttpRule @_unmask {
    id accessUrl scheme domain path
    certificate { id name expiresAt }
    region { id driver servesAddresses }
    port { ...ExposedPort }
    publication { ...PublicationParts }
  }
`,
  [ExposedPort, PublicationParts],
);

export const ExposedTcp = graphql(
  `
  fragment ExposedTcp on TcpRule @_unmask {
    id accessUrl endpoint
    region { id driver servesAddresses }
    port { ...ExposedPort }
    publication { ...PublicationParts }
  }
`,
  [ExposedPort, PublicationParts],
);

const variables = `
    $search: String
    $withHttp: Boolean!
    $withTcp: Boolean!
    $hasCertificate: Boolean
    $protocol: PortProtocol
    $httpAfter: String
    $tcpAfter: String
`;
const lists = `
    httpRules(first: 50, after: $httpAfter, search: $search, isPublished: true, hasCertificate: $hasCertificate)
      @include(if: $withHttp) { ${page('...ExposedHttp')} }
    tcpRules(first: 50, after: $tcpAfter, search: $search, isPublished: true, protocol: $protocol)
      @include(if: $withTcp) { ${page('...ExposedTcp')} }
` as const;

/** Every address of the caller's teams. */
export const ExposedQuery = graphql(`query Exposed(${variables}) { ${lists} }`, [ExposedHttp, ExposedTcp]);

/** Every address of a team. */
export const TeamExposedQuery = graphql(
  `query TeamExposed($team: TeamRef!, ${variables}) { team(by: $team) { id name alias ${lists} } }`,
  [ExposedHttp, ExposedTcp],
);
