import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

/** What is shown of a rule that was made or changed. */
const HttpRuleDone = graphql(`
  fragment HttpRuleDone on HttpRule @_unmask { id revision accessUrl isPublished region { id driver servesAddresses } }
`);
const TcpRuleDone = graphql(`
  fragment TcpRuleDone on TcpRule @_unmask { id revision accessUrl isPublished region { id driver servesAddresses } }
`);

export const CreateHttpRule = graphql(
  `
  mutation CreateHttpRule($input: CreateHttpRuleInput!) {
    result: createHttpRule(input: $input) {
      __typename
      ... on CreateHttpRulePayload { plan { ...PlanParts } rule { ...HttpRuleDone } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, HttpRuleDone, FailureParts],
);

export const CreateTcpRule = graphql(
  `
  mutation CreateTcpRule($input: CreateTcpRuleInput!) {
    result: createTcpRule(input: $input) {
      __typename
      ... on CreateTcpRulePayload { plan { ...PlanParts } rule { ...TcpRuleDone } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, TcpRuleDone, FailureParts],
);

export const UpdateHttpRule = graphql(
  `
  mutation UpdateHttpRule($input: UpdateHttpRuleInput!) {
    result: updateHttpRule(input: $input) {
      __typename
      ... on UpdateHttpRulePayload { plan { ...PlanParts } rule { ...HttpRuleDone } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, HttpRuleDone, FailureParts],
);

export const UpdateTcpRule = graphql(
  `
  mutation UpdateTcpRule($input: UpdateTcpRuleInput!) {
    result: updateTcpRule(input: $input) {
      __typename
      ... on UpdateTcpRulePayload { plan { ...PlanParts } rule { ...TcpRuleDone } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, TcpRuleDone, FailureParts],
);

export const DeleteGatewayRule = graphql(
  `
  mutation DeleteGatewayRule($input: DeleteGatewayRuleInput!) {
    result: deleteGatewayRule(input: $input) {
      __typename
      ... on DeleteGatewayRulePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
