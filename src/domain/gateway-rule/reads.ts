import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import type { Part, Row } from '../../db/tables.ts';
import type { Action } from '../../kernel/actions.ts';
import { batched, foundFor } from '../../kernel/batch.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { byNumber, idOfType } from '../../kernel/global-id.ts';
import { groupBy } from '../../kernel/group.ts';
import { requireComponent, visibleWithComponent } from '../component/reads.ts';
import { loadRegion } from '../region/reads.ts';
import { ofVisibleComponents } from '../team/visible-reads.ts';
import { schemeOf } from './http/model.ts';
import type { GatewayRuleRef, HttpRuleRef, TcpRuleRef } from './model.ts';
import { formatEndpoint, isAnyAddress } from './tcp/endpoint-model.ts';

const httpRuleById = batchedRow('HttpRule', 'id');
const tcpRuleById = batchedRow('TcpRule', 'id');

/** The rule, or null if the team of its component is not visible to the actor. */
export const visibleHttpRule = visibleWithComponent(byNumber(httpRuleById));
export const visibleTcpRule = visibleWithComponent(byNumber(tcpRuleById));

const namedHttpRule = (context: Context, { httpRuleId, id = '' }: HttpRuleRef | GatewayRuleRef) =>
  visibleHttpRule(context, httpRuleId ?? idOfType('HttpRule', id ?? '') ?? '');
const namedTcpRule = (context: Context, { tcpRuleId, id = '' }: TcpRuleRef | GatewayRuleRef) =>
  visibleTcpRule(context, tcpRuleId ?? idOfType('TcpRule', id ?? '') ?? '');

/** The rule with its component, for a caller who may do the action there. */
async function requireAt<R extends { componentId: string }>(
  context: Context,
  rule: R | null,
  noun: string,
  action: Action,
) {
  if (!rule) throw new NotFoundError(noun);
  return { rule, ...(await requireComponent(context, { componentId: rule.componentId }, action)) };
}

export const requireHttpRule = async (context: Context, ref: HttpRuleRef, action: Action = 'read') =>
  requireAt(context, await namedHttpRule(context, ref), 'HTTP rule', action);

export const requireTcpRule = async (context: Context, ref: TcpRuleRef, action: Action = 'read') =>
  requireAt(context, await namedTcpRule(context, ref), 'TCP rule', action);

/** The HTTP or TCP rule that a reference identifies. */
export async function requireGatewayRule(context: Context, ref: GatewayRuleRef, action: Action = 'read') {
  const http = await namedHttpRule(context, ref);
  const rule = http ?? (await namedTcpRule(context, ref));
  const kind: 'http' | 'tcp' = http ? 'http' : 'tcp';
  return { kind, ...(await requireAt(context, rule, 'gateway rule', action)) };
}

/** The object whose rules are listed: an application, a component or a port. */
export type RuleOwner =
  | { field: 'applicationId'; key: number }
  | { field: 'componentId'; key: string }
  | { field: 'portId'; key: number };

/** The rules of an application, component or port, sorted by id. */
export const rulesOf = <M extends 'HttpRule' | 'TcpRule'>(
  { actor }: Context,
  model: M,
  { field, key }: RuleOwner,
): List<M> => {
  const where = ofVisibleComponents<'HttpRule' | 'TcpRule'>(actor, 'componentId');
  return { key, spec: { model, parent: { field }, order: ['id'], where } } as List<M>;
};

const published = [{ field: 'isPublished' as const, is: true }];

/** The columns that an address depends on. */
const httpFields = ['id', 'componentId', 'certificateId', 'autoSsl', 'domain', 'path'] as const;
const tcpFields = ['id', 'componentId', 'address', 'portNumber'] as const;

type Published = {
  http: Part<'HttpRule', (typeof httpFields)[number]>[];
  tcp: Part<'TcpRule', (typeof tcpFields)[number]>[];
};
const none: Published = { http: [], tcp: [] };

async function publishedFor({ db }: Context, keys: string[]): Promise<ReadonlyMap<string, Published>> {
  const read = { by: 'componentId', keys, where: published } as const;
  const [http, tcp] = await Promise.all([
    db.httpRule.findManyByKeys({ ...read, fields: httpFields }),
    db.tcpRule.findManyByKeys({ ...read, fields: tcpFields }),
  ]);
  const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;
  const [httpOf, tcpOf] = [
    groupBy(http.sort(byId), (rule) => rule.componentId),
    groupBy(tcp.sort(byId), (rule) => rule.componentId),
  ];
  return new Map(keys.map((id) => [id, { http: httpOf.get(id) ?? [], tcp: tcpOf.get(id) ?? [] }]));
}

const publishedRules = batched(publishedFor, none);

/** The address that clients use for a rule. */
export const urlOfHttp = (
  rule: Pick<Row<'HttpRule'>, 'certificateId' | 'autoSsl' | 'domain' | 'path'>,
  region: Row<'Region'>,
) => `${schemeOf(rule, region)}://${rule.domain}${rule.path}`;

/** The host and port that clients connect to: those of the region if the rule listens on all addresses. */
export const hostOfTcp = (
  { address, portNumber }: Pick<Row<'TcpRule'>, 'address' | 'portNumber'>,
  region: Row<'Region'>,
) => formatEndpoint(isAnyAddress(address) ? region.tcpDomain : address, portNumber);

const urlsOf = ({ http, tcp }: Published, region: Row<'Region'>): string[] => [
  ...http.map((rule) => urlOfHttp(rule, region)),
  ...tcp.map((rule) => hostOfTcp(rule, region)),
];

type Addressed = Pick<Row<'Component'>, 'id' | 'regionId'>;

/** The public addresses of a component: those of its published HTTP rules, then of its TCP rules. */
export async function accessUrlsOf(context: Context, component: Addressed): Promise<string[]> {
  // The region is always read, so that the number of statements does not depend on the rows.
  const [rules, region] = await Promise.all([
    publishedRules(context, component.id),
    loadRegion(context, component.regionId),
  ]);
  return urlsOf(rules, region);
}

/** The public addresses of each of the components. */
export async function accessUrlsOfAll(
  context: Context,
  components: readonly Addressed[],
): Promise<string[][]> {
  const [rules, regions] = await Promise.all([
    publishedFor(
      context,
      components.map(({ id }) => id),
    ),
    foundFor(
      context,
      components.map(({ regionId }) => regionId),
      loadRegion,
    ),
  ]);
  return components.map(({ id }, index) => urlsOf(rules.get(id) ?? none, regions[index]!));
}
