import { graphql } from '../api/graphql.ts';
import { planned } from './mutation.ts';

/** The shown fields of a rule that was created or changed. */
const HttpRuleDone = graphql(`
  fragment HttpRuleDone on HttpRule @_unmask { id revision accessUrl isPublished region { id driver servesAddresses } }
`);
const TcpRuleDone = graphql(`
  fragment TcpRuleDone on TcpRule @_unmask { id revision accessUrl isPublished region { id driver servesAddresses } }
`);

export const CreateHttpRule = planned('createHttpRule', 'rule { ...HttpRuleDone }', [HttpRuleDone]);

export const CreateTcpRule = planned('createTcpRule', 'rule { ...TcpRuleDone }', [TcpRuleDone]);

export const UpdateHttpRule = planned('updateHttpRule', 'rule { ...HttpRuleDone }', [HttpRuleDone]);

export const UpdateTcpRule = planned('updateTcpRule', 'rule { ...TcpRuleDone }', [TcpRuleDone]);

export const DeleteGatewayRule = planned('deleteGatewayRule');
