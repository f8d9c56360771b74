import { z } from 'zod';
import { integerId, reference } from '../../kernel/reference.ts';
import { plannedChange } from '../../kernel/validate.ts';

export const httpRuleRef = reference('HTTP rule', { httpRuleId: integerId('The `uid` of the HTTP rule.') });
export type HttpRuleRef = z.infer<typeof httpRuleRef>;

export const tcpRuleRef = reference('TCP rule', { tcpRuleId: integerId('The `uid` of the TCP rule.') });
export type TcpRuleRef = z.infer<typeof tcpRuleRef>;

export const gatewayRuleRef = reference('gateway rule', {
  httpRuleId: integerId('The `uid` of the HTTP rule.'),
  tcpRuleId: integerId('The `uid` of the TCP rule.'),
});
export type GatewayRuleRef = z.infer<typeof gatewayRuleRef>;

/** The most TCP rules of a team in a region, whose ports all teams share. A cluster has 2,768 for services of the type NodePort. */
export const maxTcpRules = 2_000;

/** The maximum number of HTTP rules of an application. Opening or closing a port updates all rules of the port in one transaction. */
export const maxHttpRules = 5_000;

export const portNumber = z.int32().min(1).max(65_535);

export const deleteGatewayRule = z.strictObject({
  rule: gatewayRuleRef.describe('The rule.'),
  ...plannedChange('the rule'),
});
export type DeleteGatewayRule = z.infer<typeof deleteGatewayRule>;
