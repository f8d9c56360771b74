import { expect, it } from 'vitest';
import { apply, exported, plan } from '../../support/manifests.ts';
import { rest } from '../../support/openapi.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();

const portsOf = async (appId: number) => {
  const { application } = await trellis.data(
    `query($by: ApplicationRef!) { application(by: $by) { components { nodes { ports { nodes { number protocol } } } } } }`,
    { by: { appId } },
  );
  return application.components.nodes.flatMap(({ ports }: any) =>
    ports.nodes.map(({ number, protocol }: any) => `${number} ${protocol}`),
  );
};

it('a port can serve TCP and UDP, and is one of TCP in the contract', async () => {
  const { component, application, team, region } = await trellis.createAll();
  const { componentId } = component;
  await trellis.addPort(componentId, 53, { protocol: 'TCP_UDP' });
  const services = `/teams/${team.teamId}/regions/${region.name}/apps/${application.appId}/services`;
  const at = `${services}/${componentId}/ports`;
  expect((await rest(trellis, `get ${at}`)).body[0]).toMatchObject({ container_port: 53, protocol: 'tcp' });
  const add = { body: { port: 54, protocol: 'tcp_udp' } };
  expect(await rest(trellis, `post ${at}`, add)).toMatchObject({ status: 400 });
  const change = { body: { action: 'change_protocol', protocol: 'tcp_udp' } };
  expect(await rest(trellis, `put ${at}/53`, change)).toMatchObject({ status: 400 });

  const port = { at: { component: { componentId }, number: 53 } };
  const opened = await trellis.succeed(
    'openOuterService',
    { port },
    'port { isOuter protocol component { gatewayRules { tcp { nodes { isDefault } } } } }',
  );
  expect(opened.port).toEqual({
    isOuter: true,
    protocol: 'TCP_UDP',
    component: { gatewayRules: { tcp: { nodes: [{ isDefault: true }] } } },
  });
  const tcp = {
    ...{ service_id: componentId, container_port: 53, end_point: '0.0.0.0:31053', rule_extensions: [] },
    ...{ default_port: 31_053, default_ip: '0.0.0.0' },
  };
  const made = await rest(trellis, `post ${services.replace('/services', '/domains')}`, {
    body: { protocol: 'tcp', tcp },
  });
  expect(JSON.stringify(made.body)).toContain('"protocol":"tcp"');
  const rename = (protocol: string) => trellis.attempt('changePortProtocol', { port, protocol });
  expect(await rename('HTTP')).toMatchObject({ code: 'CONFLICT' });
  expect(await rename('UDP')).not.toHaveProperty('code');
  await rename('TCP_UDP');
  // What opens or closes it leaves the transports as they are.
  await rest(trellis, `put ${at}/53`, { body: { action: 'close_outer' } });
  expect(await portsOf(application.appId)).toContain('53 TCP_UDP');
});

it('a port of TCP and UDP is in manifests', async () => {
  const place = await trellis.createPlace();
  const dns = { image: 'dns:1', ports: { 53: { protocol: 'tcp_udp', isOuter: true } } };
  const { application } = await apply(
    trellis,
    place,
    JSON.stringify({ application: 'names', components: { dns } }),
  );
  const { document } = await exported(trellis, application.appId);
  expect(document).toContain('53: { protocol: tcp_udp, isOuter: true }');
  expect((await plan(trellis, place, document)).changes).toEqual([]);
  expect(await portsOf(application.appId)).toEqual(['53 TCP_UDP']);
});

it('a port of TCP and UDP is in templates, in which others see one of TCP', async () => {
  const { installed, store } = upgradesOf(trellis);
  const { appId } = await installed(1, [
    (app: any) => Object.assign(app.port_map_list[0], { protocol: 'tcp', also_udp: true }),
  ]);
  const [port] = await portsOf(appId);
  expect(port).toMatch(/ TCP_UDP$/);
  const { template } = await trellis.succeed(
    'publishApplication',
    { application: { appId }, version: '1', catalogue: 'ENTERPRISE' },
    'template { key }',
  );
  const copy = await trellis.createApplication(await trellis.createPlace());
  const install = { application: { appId: copy.appId }, store: store(), version: '1', deploy: false };
  await trellis.succeed('installApplication', { ...install, templateId: template.key }, '__typename');
  expect(await portsOf(copy.appId)).toEqual(await portsOf(appId));
});
