import type { Context } from '../../../context.ts';
import { builder, restName } from '../../../graphql/schema/builder.ts';
import { inputOf, referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { planField } from '../../../graphql/schema/plan.ts';
import { derived } from '../../../kernel/derived.ts';
import { loadRegion } from '../../region/reads.ts';
import { type LimitedTcpRow, limitationsOfTcpRule } from '../limitation-reads.ts';
import { tcpRuleRef } from '../model.ts';
import { problemsOfTcpRule, tcpProblemColumns } from '../problem-reads.ts';
import { hostOfTcp, visibleTcpRule } from '../reads.ts';
import {
  addRuleFields,
  limitationsDescription,
  newRulePayload,
  ofExtensions,
  problemsDescription,
  RuleLimitations,
  sizeOfLimitations,
  withApplication,
} from '../rule-graphql.ts';
import { formatEndpoint } from './endpoint-model.ts';
import { createTcpRule, tcpExtension, updateTcpRule } from './model.ts';
import * as operations from './operations.ts';

referenceOf('TcpRuleRef', tcpRuleRef, 'Identifies a TCP rule. Set exactly one field.');
inputOf('TcpRuleExtensionInput', tcpExtension, 'An extension of a TCP rule.');

const tcpLimitations = derived(
  (rule: LimitedTcpRow, context: Context) => limitationsOfTcpRule(context, rule),
  sizeOfLimitations,
);
const tcpExtensionsOf = derived(
  (rule: { extensions: string }) => JSON.parse(rule.extensions) as { key: string; value: string }[],
  ofExtensions,
);

const TcpRuleExtension = builder.objectRef<{ key: string; value: string }>('TcpRuleExtension').implement({
  description: 'An extension of a TCP rule.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key.' }),
    value: t.exposeString('value', { description: 'The value.' }),
  }),
});

export const TcpRule = entity('TcpRule', 'TcpRule', {
  description: 'A rule that routes connections to an address of the region to a port.',
  read: visibleTcpRule,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: restName('The numeric id of the rule.', 'ID') }),
    key: t.exposeString('key', { description: restName('The key of the rule.', 'tcp_rule_id') }),
    endpoint: t.using('address', 'portNumber').string({
      description: restName('The address that the rule listens on, as `ip:port`.', 'end_point'),
      resolve: (rule) => formatEndpoint(rule.address, rule.portNumber),
    }),
    accessUrl: t.using('address', 'portNumber', 'regionId').string({
      description:
        'The address that clients use while the rule is published, as `host:port`. The host is the TCP domain of the region if the rule listens on all addresses.',
      resolve: async (rule, _, context) => hostOfTcp(rule, await loadRegion(context, rule.regionId)),
    }),
    mappedAddress: t.using('mappedIp', 'mappedPort').string({
      nullable: true,
      description: restName(
        'The external address that the endpoint is mapped to, as `ip:port`. Null if there is none.',
        'default_ip and default_port',
      ),
      resolve: ({ mappedIp, mappedPort }) =>
        mappedIp === null || mappedPort === null ? null : formatEndpoint(mappedIp, mappedPort),
    }),
    extensions: t.using('extensions').field({
      type: [TcpRuleExtension],
      description: restName('The extensions.', 'rule_extensions'),
      resolve: (rule, _, context) => tcpExtensionsOf(rule, context),
    }),
    limitations: t.using('regionId', 'address', 'extensions').field({
      type: RuleLimitations,
      description: limitationsDescription,
      resolve: (rule, _, context) => tcpLimitations(rule, context),
    }),
    problems: t.using(...tcpProblemColumns).field({
      type: ['String'],
      ...nullOnError,
      description: problemsDescription('connections', 'if the cluster has no routes for TCP'),
      resolve: (rule, _, context) => problemsOfTcpRule(context, rule),
    }),
  }),
});

addRuleFields(TcpRule, 'TcpRule', 'connections');

mutation('createTcpRule', {
  description: 'Creates a TCP rule and opens its port to the outside. REST: `POST …/domains`.',
  operation: { selection: { application: false } },
  input: createTcpRule,
  run: operations.createTcpRule,
  load: withApplication,
  payload: newRulePayload(TcpRule),
});

mutation('updateTcpRule', {
  description:
    'Updates a TCP rule. Omitted fields are unchanged. If the endpoint of a default rule changes, it becomes a custom rule, and its port gets a new default rule when it is next opened.',
  input: updateTcpRule,
  run: operations.updateTcpRule,
  payload: (t) => ({
    rule: t.expose('rule', { type: TcpRule, description: 'The updated rule.' }),
    plan: planField(t),
  }),
});
