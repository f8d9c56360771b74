import { issue } from './certificates.ts';
import { type Person, unique } from './fixtures.ts';
import { type StoreServer, sendJson, startStoreServer } from './store-server.ts';
import type { GraphqlCall, RestCall } from './surfaces.ts';
import { createTwin, type Twin } from './surfaces-twins.ts';
import { installInput, publishRing, update } from './surfaces-world.ts';
import { startTrellis, type Trellis } from './trellis.ts';

/** One request that has to be refused, as either surface says it. */
export interface Refused {
  what: string;
  code: string;
  rest(scene: Scene): RestCall;
  graphql(scene: Scene): GraphqlCall;
  fields?: Fields;
}

/** The fields that are named, first in the words of REST, then in those of GraphQL. */
export type Fields = [string | string[], string | string[]];

/** A value, or how it comes from the scene. */
export type Of<T> = T | ((scene: Scene) => T);
export const given = <T>(value: Of<T>, scene: Scene): T =>
  typeof value === 'function' ? (value as (scene: Scene) => T)(scene) : value;

/** An operation: a request that succeeds, and what is refused. */
export interface Operation {
  /** Who may: `member` for all who belong to the team, `developer` where something changes. */
  takes: 'anybody' | 'member' | 'developer' | 'administrator';
  valid(scene: Scene, twin?: Twin): { rest: RestCall; graphql: GraphqlCall };
  refused: Refused[];
}

/** A team with people in all roles, and everything around it that gets into the way. */
export interface Scene {
  trellis: Trellis;
  twin: Twin;
  /** One in a region that takes no changes. */
  disabled: Twin;
  viewer: Person;
  developer: Person;
  /** An owner of another team, in the same region. */
  outsider: Person;
  /** A token of the developer that may read only. */
  readOnlyToken: string;
  /** A component of another application of the team. */
  elsewhere: { componentId: string };
  /** What the other team uses in the region. */
  taken: { domain: string; endpoint: string; serviceName: string };
  /** A certificate of the team, and the number of none. */
  certificate: { uid: number; unknown: number };
  /** Stores that do not give what is asked for. */
  stores: Record<'refusing' | 'broken' | 'gone', string>;
  close(): Promise<void>;
}

/** A twin with ports in every state that a refusal needs. */
async function prepare(trellis: Trellis, twin: Twin): Promise<void> {
  const { componentId } = twin;
  await trellis.addPort(componentId, 7000, { alias: 'TAKEN' });
  const open = { port: { at: { component: { componentId }, number: 7000 } } };
  await trellis.succeed('openOuterService', open, 'port { id }');
  const target = { application: { appId: twin.appId }, component: { componentId } };
  const rule = { ...target, portNumber: 8080, domain: `${twin.alias}.example`, path: '/there' };
  await trellis.succeed('createHttpRule', rule, 'rule { uid }');
  const install = installInput(trellis, twin.appId, twin.template.key);
  await trellis.succeed('installApplication', install, 'group { uid }');
}

export async function createScene(): Promise<Scene> {
  const trellis = await startTrellis();
  const template = await publishRing(trellis);
  const [twin, rival, disabled] = [
    await createTwin(trellis, template),
    await createTwin(trellis, template),
    await createTwin(trellis, template),
  ];
  await prepare(trellis, twin);
  await prepare(trellis, disabled);
  await update(trellis, 'region', disabled.place.region.regionId, { status: 'disabled' });
  const { team, region } = twin.place;

  const viewer = await trellis.createMember(team.teamId, 'VIEWER');
  const developer = await trellis.createMember(team.teamId, 'DEVELOPER');
  const outsider = await trellis.createMember(rival.place.team.teamId, 'OWNER');
  const { secret } = await trellis.succeed(
    'createAccessToken',
    { name: 'reads', user: { email: developer.email }, isReadOnly: true },
    'secret',
  );

  const open = { team: { teamId: rival.place.team.teamId }, region: { regionId: region.regionId } };
  await trellis.succeed('openTeamRegion', open, 'team { uid }');
  const neighbour = await trellis.createApplication({ team: rival.place.team, region });
  const { componentId } = await trellis.createComponent(neighbour.appId);
  await trellis.addPort(componentId, 80);
  const taken = { domain: `${unique('taken')}.example`, endpoint: '0.0.0.0:31000', serviceName: 'taken' };
  const target = { application: { appId: neighbour.appId }, component: { componentId }, portNumber: 80 };
  await trellis.succeed('createHttpRule', { ...target, domain: taken.domain }, 'rule { uid }');
  await trellis.succeed('createTcpRule', { ...target, endpoint: taken.endpoint }, 'rule { uid }');

  const other = await trellis.createApplication({ team, region }, unique('app'), { isolation: 'TEAM' });
  const elsewhere = await trellis.createComponent(other.appId);
  await trellis.addPort(elsewhere.componentId, 80);
  const rename = {
    port: { at: { component: { componentId: elsewhere.componentId }, number: 80 } },
    alias: 'ELSEWHERE',
    serviceName: taken.serviceName,
  };
  await trellis.succeed('changePortAlias', rename, 'port { id }');

  const { pem, key } = await issue({ names: ['covered.example'] });
  const add = { team: { teamId: team.teamId }, chain: pem, key };
  const { certificate } = await trellis.succeed('addCertificate', add, 'certificate { uid }');

  const servers: StoreServer[] = [
    await startStoreServer((_, response) => sendJson(response, { msg: 'no' }, 401)),
    await startStoreServer((_, response) => response.end('<html>')),
  ];
  const [refusing, broken] = servers.map(({ url }) => url) as [string, string];
  // Below the ports that are given to servers: one that was closed could be another test's by now.
  const gone = 'http://127.0.0.1:1';
  return {
    trellis,
    twin,
    disabled,
    viewer,
    developer,
    outsider,
    readOnlyToken: secret,
    elsewhere,
    taken,
    certificate: { uid: certificate.uid, unknown: 999_999 },
    stores: { refusing, broken, gone },
    async close() {
      await trellis.close();
      for (const server of servers) await server.close();
    },
  };
}
