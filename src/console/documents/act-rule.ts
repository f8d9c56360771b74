import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

/** The shown fields of a rule that was created or changed. */
const HttpRuleDone = graphql(`
  fragment HttpRuleDone on HttpRule @_unmask { id revision accessUrl isPublished region { id driver servesAddresses } }
`);
const TcpRuleDone = graphql(`
  fragment TcpRuleDone on TcpRule @_unmask { id revision accessUrl isPublished region { id driver servesAddresses } }
`);

export const CreateHttpRule = graphql(
  mutation('createHttpRule', 'plan { ...PlanParts } rule { ...HttpRuleDone }'),
  [PlanParts, HttpRuleDone, FailureParts],
);

export const CreateTcpRule = graphql(
  mutation('createTcpRule', 'plan { ...PlanParts } rule { ...TcpRuleDone }'),
  [PlanParts, TcpRuleDone, FailureParts],
);

export const UpdateHttpRule = graphql(
  mutation('updateHttpRule', 'plan { ...PlanParts } rule { ...HttpRuleDone }'),
  [PlanParts, HttpRuleDone, FailureParts],
);

export const UpdateTcpRule = graphql(
  mutation('updateTcpRule', 'plan { ...PlanParts } rule { ...TcpRuleDone }'),
  [PlanParts, TcpRuleDone, FailureParts],
);

export const DeleteGatewayRule = graphql(mutation('deleteGatewayRule', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
