import { describe, expect, it } from 'vitest';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  objectIn,
  patience,
  settledJobs,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server } = useClusterWorld({ jobs: {} }, { issuers: ['letsencrypt'] });

/** Says of an object what a controller does. */
function say(place: ClusterPlace, kind: string, name: string, status: object): void {
  server.cluster.store.save(kindNamed(kind), { ...objectIn(place, kind, name), status });
}

const condition = (type: string, status: string, message: string) => ({ type, status, message });
const met = ['Accepted', 'Programmed', 'ResolvedRefs'].map((type) => condition(type, 'True', ''));

describe('HttpRule.problems', () => {
  it('tells what the conditions of the gateway and the route say', async () => {
    const place = await createClusterPlace(trellis, server, { token: 'platform' });
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const port = await trellis.addPort(componentId, 8080, { isInner: true });
    await trellis.succeed('openOuterService', { port: { id: port.id } }, '__typename');
    const read = () =>
      trellis.graphql(
        `{ component(by: { componentId: "${componentId}" }) { ports { nodes { gatewayRules { http { nodes { problems } } } } } } }`,
      );
    const problems = async () =>
      (await read()).data.component.ports.nodes[0].gatewayRules.http.nodes[0].problems;
    const routes = () => server.cluster.store.list(kindNamed('HTTPRoute'), place.namespace);
    await trellis.succeed('deployComponent', { component: { componentId } }, '__typename');
    await expect.poll(() => routes().length, patience).toBe(1);
    // Nobody has the class of the gateway.
    await expect
      .poll(problems, patience)
      .toContain('Gateway trellis: Accepted is Unknown: Waiting for controller');
    say(place, 'Gateway', 'trellis', { conditions: met, listeners: [{ name: 'http', conditions: met }] });
    expect(await problems()).toEqual([]);
    const [route] = routes();
    const refused = condition('ResolvedRefs', 'False', 'There is no Service.');
    say(place, 'HTTPRoute', route!.metadata.name, { parents: [{ conditions: [met[0], refused] }] });
    expect(await problems()).toEqual([
      `HTTPRoute ${route!.metadata.name}: ResolvedRefs is False: There is no Service.`,
    ]);
    // The cluster is asked once for all rules of a team.
    const before = server.cluster.log.length;
    const aliases = Array.from({ length: 20 }, (_, index) => `a${index}: problems`).join(' ');
    await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { ports { nodes { gatewayRules { http { nodes { ${aliases} } } } } } } }`,
    );
    const asked = server.cluster.log.slice(before).filter(({ path }) => path.includes('gateway'));
    expect(asked.length).toBe(2);
    server.cluster.fault = () => ({ status: 500, body: {} }) as never;
    try {
      const { errors } = await read();
      expect(errors).toMatchObject([{ extensions: { code: 'REGION_UNAVAILABLE' } }]);
    } finally {
      server.cluster.fault = undefined;
    }
  });

  it('has the conditions of the listeners that its route uses, and not of those for other domains', async () => {
    const cluster = { gatewayClass: 'test', certificateIssuer: 'letsencrypt' };
    const place = await createClusterPlace(trellis, server, { token: 'platform', cluster });
    const { teamId, region } = place;
    const { appId } = await trellis.createApplication({ team: { teamId }, region } as never, unique('app'), {
      isolation: 'TEAM',
    });
    const rules = [];
    for (const [of, autoSsl] of [
      [place, false],
      [{ ...place, appId }, true],
    ] as const) {
      const [{ componentId }] = (await deploy(trellis, of)) as [Deployed];
      const target = { application: { appId: of.appId }, component: { componentId }, portNumber: 8080 };
      await trellis.addPort(componentId, 8080, { isInner: true });
      const input = { ...target, domain: `${unique('d')}.example.com`, autoSsl, opensPort: true };
      rules.push((await trellis.succeed('createHttpRule', input, 'rule { id }')).rule.id);
    }
    await settledJobs(trellis, place);
    await settledJobs(trellis, { ...place, appId });
    const { listeners } = objectIn(place, 'Gateway', 'trellis').spec;
    expect(listeners).toHaveLength(2);
    const { secretName } = server.cluster.store.list(kindNamed('Certificate'), place.namespace)[0]!.spec;
    const missing = condition('ResolvedRefs', 'False', `There is no Secret ${secretName}.`);
    say(place, 'Gateway', 'trellis', {
      conditions: met,
      listeners: listeners.map(({ name }: { name: string }) => ({
        name,
        conditions: name === 'http' ? met : [...met.slice(0, 2), missing],
      })),
    });
    for (const route of server.cluster.store.list(kindNamed('HTTPRoute'), place.namespace)) {
      say(place, 'HTTPRoute', route.metadata.name, { parents: [{ conditions: [met[0], met[2]] }] });
    }
    const { nodes } = await trellis.data(
      `{ nodes(ids: ${JSON.stringify(rules)}) { ... on HttpRule { problems } } }`,
    );
    const { name } = listeners.find((each: { name: string }) => each.name !== 'http');
    expect(nodes).toEqual([
      { problems: [] },
      { problems: [`Gateway trellis, ${name}: ResolvedRefs is False: There is no Secret ${secretName}.`] },
    ]);
  });
});

describe('TcpRule.problems', () => {
  it("tells what the conditions of the component's gateway and the route say", async () => {
    const place = await createClusterPlace(trellis, server, { token: 'platform' });
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const port = await trellis.addPort(componentId, 5432, { protocol: 'TCP', isInner: true });
    await trellis.succeed('openOuterService', { port: { id: port.id } }, '__typename');
    const problems = async () => {
      const { component } = await trellis.data(
        `{ component(by: { componentId: "${componentId}" }) { gatewayRules { tcp { nodes { problems } } } } }`,
      );
      return component.gatewayRules.tcp.nodes[0].problems;
    };
    expect(await problems()).toEqual([]);
    await trellis.succeed('deployComponent', { component: { componentId } }, '__typename');
    const routes = () => server.cluster.store.list(kindNamed('TCPRoute'), place.namespace);
    await expect.poll(() => routes().length, patience).toBe(1);
    const route = routes()[0]!.metadata.name;
    const gateway = route.replace(/-tcp-.*/, '-tcp');
    await expect
      .poll(problems, patience)
      .toContain(`Gateway ${gateway}: Accepted is Unknown: Waiting for controller`);
    say(place, 'Gateway', gateway, { conditions: met });
    expect(await problems()).toEqual([]);
    const refused = condition('ResolvedRefs', 'False', 'There is no Service.');
    say(place, 'TCPRoute', route, { parents: [{ conditions: [met[0], refused] }] });
    expect(await problems()).toEqual([`TCPRoute ${route}: ResolvedRefs is False: There is no Service.`]);
  });
});
