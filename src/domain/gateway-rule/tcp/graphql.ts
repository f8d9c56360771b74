import type { z } from 'zod';
import { property } from '../../../graphql/schema/exposed.ts';
import { inputOf, referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { loadRegion } from '../../region/reads.ts';
import { limitationsOfTcpRule, tcpLimitedColumns } from '../limitation-reads.ts';
import { tcpRuleRef } from '../model.ts';
import { problemsOfTcpRule, tcpProblemColumns } from '../problem-reads.ts';
import { hostOfTcp, visibleTcpRule } from '../reads.ts';
import { addedRule, addRuleFields, extensionsOf } from '../rule-graphql.ts';
import { formatEndpoint } from './endpoint-model.ts';
import { createTcpRule, tcpExtension, updateTcpRule } from './model.ts';
import * as operations from './operations.ts';

referenceOf('TcpRuleRef', tcpRuleRef, 'Identifies a TCP rule. Set exactly one field.');
inputOf('TcpRuleExtensionInput', tcpExtension, 'An extension of a TCP rule.');

type Extension = z.infer<typeof tcpExtension>;
const tcpExtensionsOf = extensionsOf<Extension>();

const TcpRuleExtension = objectType<Extension>('TcpRuleExtension', {
  description: 'An extension of a TCP rule.',
  exposes: {
    'key: String!': 'The key.',
    'value: String!': 'The value.',
  },
});

export const TcpRule = entity('TcpRule', 'TcpRule', {
  description: 'A rule that routes connections to an address of the region to a port.',
  read: visibleTcpRule,
  fields: (t) => ({
    endpoint: t.using('address', 'portNumber').string({
      description: 'The address that the rule listens on, as `ip:port`. REST: `end_point`.',
      resolve: (rule) => formatEndpoint(rule.address, rule.portNumber),
    }),
    accessUrl: t.using('address', 'portNumber', 'regionId').string({
      description:
        'The address that clients use while the rule is published, as `host:port`. The host is the TCP domain of the region if the rule listens on all addresses.',
      resolve: async (rule, _, context) => hostOfTcp(rule, await loadRegion(context, rule.regionId)),
    }),
    mappedAddress: t.using('mappedIp', 'mappedPort').string({
      nullable: true,
      description:
        'The external address that the endpoint is mapped to, as `ip:port`. Null if not set. REST: `default_ip and default_port`.',
      resolve: ({ mappedIp, mappedPort }) =>
        mappedIp === null || mappedPort === null ? null : formatEndpoint(mappedIp, mappedPort),
    }),
    extensions: t.using('extensions').field({
      type: [TcpRuleExtension],
      description: 'The extensions. REST: `rule_extensions`.',
      resolve: (rule, _, context) => tcpExtensionsOf(rule, context),
    }),
  }),
});

addRuleFields('TcpRule', TcpRule, {
  restKey: 'tcp_rule_id',
  publication: { type: 'TcpRule', actions: ['tcp_rule.create', 'tcp_rule.publish'] },
  traffic: 'connections',
  unless: 'if the cluster has no routes for TCP',
  limitations: { columns: tcpLimitedColumns, of: limitationsOfTcpRule },
  problems: { columns: tcpProblemColumns, of: problemsOfTcpRule },
});

mutation('createTcpRule', createTcpRule, operations.createTcpRule, {
  description: 'Creates a TCP rule and opens its port to the outside. REST: `POST …/domains`.',
  operation: { selection: { application: false } },
  ...addedRule(TcpRule),
});

mutation('updateTcpRule', updateTcpRule, operations.updateTcpRule, {
  description:
    'Updates a TCP rule. Omitted fields are unchanged. If the endpoint of a default rule changes, it becomes a custom rule, and its port gets a new default rule when it is next opened.',
  payload: { rule: property(TcpRule, 'The updated rule.') },
});
