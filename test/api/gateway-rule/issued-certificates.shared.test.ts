import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  patience,
} from '../../support/kubernetes/place.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';
import { useClusterWorld } from '../../support/kubernetes/world.ts';
import { byRest } from '../../support/surfaces.ts';

let bare: FakeServer;
beforeAll(async () => {
  bare = await startCluster({ stepMs: 1 });
  return bare.close;
});
const { trellis, server } = useClusterWorld({ jobs: {} }, { stepMs: 1, issuers: ['letsencrypt'] });

const cluster = { gatewayClass: 'test', certificateIssuer: 'letsencrypt' };
const selection =
  'rule { id httpRuleId: uid autoSsl scheme accessUrl limitations { ignored } issuedCertificate { state reason expiresAt } }';

function ruleInput(appId: number, componentId: string, more: object = {}) {
  const target = { application: { appId }, component: { componentId }, portNumber: 8080 };
  return { ...target, domain: `${unique('d')}.example.com`, autoSsl: true, ...more };
}

async function componentOf({ appId }: { appId: number }) {
  const { componentId, alias } = await trellis.createComponent(appId);
  await trellis.addPort(componentId, 8080);
  return { componentId, alias };
}

const fields = selection.slice(7, -2);
const read = async (id: string) =>
  (await trellis.data(`{ node(id: "${id}") { ... on HttpRule { ${fields} } } }`)).node;

describe('autoSsl of a rule', () => {
  it('has a certificate from the cluster, until the rule has one of its own', async () => {
    const place = await createClusterPlace(trellis, server, { cluster });
    const [component] = (await deploy(trellis, place, [{}])) as Deployed[];
    await trellis.addPort(component!.componentId, 8080);
    const input = ruleInput(place.appId, component!.componentId, { opensPort: true });
    const { rule } = await trellis.succeed('createHttpRule', input, selection);
    expect(rule).toMatchObject({
      autoSsl: true,
      scheme: 'HTTPS',
      accessUrl: `https://${input.domain}/`,
      limitations: { ignored: [] },
    });
    await expect
      .poll(() => read(rule.id), patience)
      .toMatchObject({
        issuedCertificate: { state: 'READY', reason: null, expiresAt: expect.stringMatching(/^20/) },
      });
    const off = { rule: { httpRuleId: rule.httpRuleId }, autoSsl: false };
    const { rule: without } = await trellis.succeed('updateHttpRule', off, selection);
    expect(without).toMatchObject({ scheme: 'HTTP', issuedCertificate: null });
  });

  it('is refused where nothing issues certificates, with what is missing', async () => {
    const refusal = async (place: { appId: number }) => {
      const { componentId } = await componentOf(place);
      return trellis.attempt('createHttpRule', ruleInput(place.appId, componentId));
    };
    const none = await createClusterPlace(trellis, server, { cluster: { gatewayClass: 'test' } });
    expect(await refusal(none)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`the region ${none.region.name} has none`),
    });
    const lacking = await createClusterPlace(trellis, bare, { cluster });
    expect(await refusal(lacking)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('The cluster has no cert-manager'),
    });
    const place = await trellis.createPlace();
    const declared = await trellis.createApplication(place);
    expect(await refusal(declared)).toMatchObject({ code: 'CONFLICT' });
    // As an update it is the same, and nothing has changed.
    const { componentId } = await componentOf(declared);
    const plain = ruleInput(declared.appId, componentId, { autoSsl: false });
    const { rule } = await trellis.succeed('createHttpRule', plain, selection);
    const update = { rule: { httpRuleId: rule.httpRuleId }, autoSsl: true };
    expect(await trellis.attempt('updateHttpRule', update)).toMatchObject({ code: 'CONFLICT' });
    expect(await read(rule.id)).toMatchObject({ autoSsl: false });
  });

  it('is accepted by REST, and the rule says that it has no effect', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { alias, componentId } = await componentOf({ appId });
    const { domain } = ruleInput(appId, componentId);
    const path = `/teams/${place.team.name}/regions/${place.region.name}/apps/${appId}/domains`;
    const http = { domain_name: domain, service_id: alias, container_port: 8080, auto_ssl: true };
    await byRest(trellis, `post ${path}`, { body: { protocol: 'http', http } });
    const { team } = await trellis.data(
      `{ team(by: { name: "${place.team.name}" }) { httpRules { nodes { ${fields} } } } }`,
    );
    expect(team.httpRules.nodes).toEqual([
      expect.objectContaining({
        autoSsl: true,
        scheme: 'HTTP',
        limitations: { ignored: ['autoSsl'] },
        issuedCertificate: null,
      }),
    ]);
  });

  it('keeps the issuer of the region while a rule uses it', async () => {
    const place = await createClusterPlace(trellis, server, { cluster });
    const { componentId } = await componentOf(place);
    const input = ruleInput(place.appId, componentId);
    const { rule } = await trellis.succeed('createHttpRule', input, selection);
    const region = { name: place.region.name };
    const without = { region, cluster: { certificateIssuer: null } };
    expect(await trellis.attempt('updateRegion', without)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(input.domain),
    });
    const other = { region, cluster: { certificateIssuer: 'Issuer/internal' } };
    await trellis.succeed('updateRegion', other, '__typename');
    const off = { rule: { httpRuleId: rule.httpRuleId }, autoSsl: false };
    await trellis.succeed('updateHttpRule', off, '__typename');
    await trellis.succeed('updateRegion', without, '__typename');
  });

  it.each(['', 'Issuer/', 'Secret/a', 'a b', 'Issuer/a/b', `a${'b'.repeat(253)}`])(
    'has no issuer named %j',
    async (certificateIssuer) => {
      const { region } = await trellis.createPlace();
      const input = { region: { name: region.name }, cluster: { certificateIssuer } };
      expect(await trellis.attempt('updateRegion', input)).toMatchObject({ code: 'INVALID_INPUT' });
    },
  );
});

describe('a region without a cluster', () => {
  it('has certificates at once if it is simulated', async () => {
    const place: Pick<ClusterPlace, 'region'> & Place = await trellis.createPlace();
    const region = { name: place.region.name };
    await trellis.succeed('updateRegion', { region, cluster: { certificateIssuer: 'any' } }, '__typename');
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await componentOf({ appId });
    const input = ruleInput(appId, componentId);
    const { rule } = await trellis.succeed('createHttpRule', input, selection);
    expect(rule).toMatchObject({ scheme: 'HTTPS', limitations: { ignored: [] }, issuedCertificate: null });
  });
});
