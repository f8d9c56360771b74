import type { Place } from './fixtures.ts';
import { byRest, type GraphqlCall, type RestCall, sendGraphql, sendRest } from './surfaces.ts';
import { portInfo } from './surfaces-models.ts';
import { graphqlReads } from './surfaces-reads.ts';
import type { Trellis } from './trellis.ts';

/** One of two alike: what REST does to the one, GraphQL does to the other. */
export interface Twin {
  trellis: Trellis;
  /** A template that Trellis offers. */
  template: { key: string };
  place: Place;
  appId: number;
  componentId: string;
  alias: string;
  /** Paths of REST. */
  application: string;
  component: string;
}

/** A component with the ports 8080 (HTTP) and 9090 (TCP), in a team and a region of its own. */
export async function createTwin(trellis: Trellis, template: { key: string }): Promise<Twin> {
  const place = await trellis.createPlace();
  const cluster = { certificateIssuer: 'letsencrypt' };
  await trellis.succeed('updateRegion', { region: { name: place.region.name }, cluster }, '__typename');
  const { appId } = await trellis.createApplication(place, 'Twin', { isolation: 'TEAM' });
  const { componentId, alias } = await trellis.createComponent(appId, { name: 'twin' });
  await trellis.addPort(componentId, 8080);
  await trellis.addPort(componentId, 9090, { protocol: 'TCP' });
  const application = `/teams/${place.team.name}/regions/${place.region.name}/apps/${appId}`;
  const component = `${application}/services/${alias}`;
  return { trellis, template, place, appId, componentId, alias, application, component };
}

/** Everything that a change may have changed, as REST tells it and as GraphQL does. */
export async function stateOf(trellis: Trellis, twin: Twin) {
  const read = graphqlReads(trellis);
  const graphql = {
    ports: await read.ports(twin.componentId),
    components: await read.components(twin.appId),
  };
  const rest = {
    ports: await byRest(trellis, `GET ${twin.component}/ports`),
    components: await byRest(trellis, `GET ${twin.application}/services`),
  };
  // REST tells of rules and upgrades only in the answers of changes.
  const more = { rules: await read.rules(twin.appId), upgrades: await read.upgrades(twin.appId) };
  return { rest, graphql, more };
}

/** What the change of one request was recorded as, the oldest first. */
async function eventsOf(trellis: Trellis, twin: Twin, requestId: string): Promise<any[]> {
  const { team } = await trellis.data(
    `{ team(by: { teamId: "${twin.place.team.teamId}" }) { events(first: 100) { nodes {
      action objectType requestId tokenId user { email } changes { field before: oldValue after: newValue } } } } }`,
  );
  const own = team.events.nodes.filter((event: any) => event.requestId === requestId);
  return own.reverse().map(({ requestId: _, ...event }: any) => event);
}

/** Numbers and keys that differ because there are two: what is alike has to be so without them. */
const counted = new Set(['ID', 'http_rule_id', 'tcp_rule_id', 'tenant_service_group_id']);
const countedInRecord = new Set([
  'id',
  'portId',
  'componentId',
  'applicationId',
  'groupId',
  'key',
  'storeId',
]);

/** What is left of a value when everything is taken out that says which of the two it is. */
export function without(twin: Twin, value: unknown): any {
  const { team, region } = twin.place;
  const own: [string, string][] = [
    [team.teamId, 'TEAM_ID'],
    [team.name, 'TEAM'],
    [region.regionId, 'REGION_ID'],
    [region.name, 'REGION'],
    [twin.componentId, 'COMPONENT'],
    [twin.alias, 'ALIAS'],
    [twin.alias.toUpperCase().replaceAll('-', '_'), 'UPPER_ALIAS'],
  ];
  let text = JSON.stringify(value, (key, each) => {
    if (counted.has(key)) return key;
    if (each !== null && typeof each === 'object' && countedInRecord.has(each.field)) {
      return { field: each.field, isSet: each.after !== null };
    }
    return each;
  });
  for (const [from, to] of own) text = text.replaceAll(from, to);
  // What an install makes: ids, and aliases of `gr` and six digits.
  return JSON.parse(
    text.replaceAll(/\b[0-9a-f]{32}\b/g, 'ID_MADE').replaceAll(/\bgr[0-9a-f]{6}\b/gi, 'ALIAS_MADE'),
  );
}

/** Does the same by both surfaces, each to a twin of its own, and tells what became of either. */
export async function changeTwins(
  trellis: Trellis,
  twins: [Twin, Twin],
  rest: (twin: Twin) => RestCall,
  graphql: (twin: Twin) => Extract<GraphqlCall, { mutation: string }>,
) {
  const [one, other] = twins;
  const call = rest(one);
  const byRestSent = await sendRest(trellis, call);
  if (byRestSent.answer.status !== 200) throw new Error(`${call.at}: ${byRestSent.answer.text}`);
  const change = graphql(other);
  const byGraphqlSent = await sendGraphql(trellis, change);
  const result = byGraphqlSent.answer.body.data?.result;
  if (!result || result.code) throw new Error(`${change.mutation}: ${byGraphqlSent.answer.text}`);
  return {
    rest: {
      answer: byRestSent.answer.body,
      state: await stateOf(trellis, one),
      events: await eventsOf(trellis, one, byRestSent.requestId),
    },
    graphql: {
      answer: result,
      state: await stateOf(trellis, other),
      events: await eventsOf(trellis, other, byGraphqlSent.requestId),
    },
  };
}

/** A port that a mutation answers, in the words of the contract. */
export const portSelection = `port { ${portInfo.selection} }`;
