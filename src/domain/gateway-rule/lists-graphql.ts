import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { addList, addListQuery } from '../../graphql/schema/list.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { search } from '../../kernel/validate.ts';
import { Certificate } from '../certificate/graphql.ts';
import { PortProtocolEnum } from '../port/graphql.ts';
import { Team, wordsArgument } from '../team/graphql.ts';
import { HttpRule } from './http/graphql.ts';
import {
  httpRulesOfCertificate,
  httpRulesOfTeam,
  httpRulesWith,
  ownHttpRules,
  ownTcpRules,
  tcpRulesOfTeam,
  tcpRulesWith,
} from './list-reads.ts';
import { TcpRule } from './tcp/graphql.ts';

const isPublished = 'Returns only rules that are published; or, if false, only the others.';

const httpRuleListArgs = builder.args((arg) => ({
  search: arg.string({
    description: 'A case-insensitive substring of the domain.',
    validate: validatedBy(search()),
  }),
  isPublished: arg.boolean({ description: isPublished }),
  hasCertificate: arg.boolean({
    description: 'Returns only rules for https; or, if false, only those for http.',
  }),
}));

const tcpRuleListArgs = builder.args((arg) => ({
  search: arg.string({
    description:
      'A case-insensitive substring of the address that the rule listens on or of the name or alias of the component, or the port number.',
    validate: validatedBy(search()),
  }),
  isPublished: arg.boolean({ description: isPublished }),
  protocol: arg.field({
    type: PortProtocolEnum,
    description: 'Returns only rules of ports with this protocol.',
  }),
}));

addListQuery('httpRules', HttpRule, {
  plural: 'HTTP rules',
  description: 'The HTTP rules of all teams that the caller is a member of, sorted by domain.',
  args: {
    ...httpRuleListArgs,
    ...wordsArgument(
      'Each must be part of the domain, or of the domain and path, or of the name of the component, application or team. At least one must match the address.',
    ),
  },
  list: (_, { words, ...filter }, context) =>
    ownHttpRules(context, words ? { ...filter, found: httpRulesWith(context, words) } : filter),
});

addListQuery('tcpRules', TcpRule, {
  plural: 'TCP rules',
  description:
    'The TCP rules of all teams that the caller is a member of, sorted by the address that they listen on.',
  args: {
    ...tcpRuleListArgs,
    ...wordsArgument(
      'Each must be part of the address, the port, or part of the name of the component, application or team. At least one must match the address or port.',
    ),
  },
  list: (_, { words, ...filter }, context) =>
    ownTcpRules(context, words ? { ...filter, found: tcpRulesWith(context, words) } : filter),
});

builder.objectFields(Team, (t) => ({
  httpRules: connectionField(t.using('id'), {
    node: HttpRule,
    plural: 'HTTP rules',
    description: 'The HTTP rules of all applications of the team, sorted by domain.',
    args: httpRuleListArgs,
    list: (team, filter, context) => httpRulesOfTeam(context, team.id, filter),
  }),
  tcpRules: connectionField(t.using('id'), {
    node: TcpRule,
    plural: 'TCP rules',
    description: 'The TCP rules of all applications of the team, sorted by the address that they listen on.',
    args: tcpRuleListArgs,
    list: (team, filter, context) => tcpRulesOfTeam(context, team.id, filter),
  }),
}));

addList(Certificate, 'httpRules', HttpRule, {
  plural: 'HTTP rules',
  description: 'The HTTP rules that use the certificate, sorted by domain.',
  list: (certificate, _, context) => httpRulesOfCertificate(context, certificate.id),
});
