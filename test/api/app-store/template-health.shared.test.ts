import { beforeAll, describe, expect, it } from 'vitest';
import { templateText } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();
let { installed, upgrade, rollBack, store } = {} as ReturnType<typeof upgradesOf>;
beforeAll(async () => {
  ({ installed, upgrade, rollBack, store } = upgradesOf(trellis));
});

const probe =
  '{ http { port path scheme headers { name value } } tcp { port } grpc { port service } command periodSeconds initialDelaySeconds }';
const health = `probes { startup ${probe} readiness ${probe} liveness ${probe} } checksPorts preStopSeconds terminationGracePeriodSeconds deployDeadlineSeconds preDeployCommand preDeployTimeoutSeconds`;
const healthOf = async (appId: number): Promise<Record<string, any>> => {
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { components(first: 100) { nodes { uid name ${health} } } } }`,
  );
  return Object.fromEntries(
    application.components.nodes.map(({ name, uid, ...own }: any) => [name, { uid, ...own }]),
  );
};
const omitted = 'omitted { component path reason }';

describe('the probes of a template', () => {
  it('are installed, published and installed again, and what is not used is listed', async () => {
    const text = templateText('online-boutique', 'v0.10.3');
    const { group_key, apps } = JSON.parse(text);
    await trellis.succeed('publishTemplate', { template: text }, '__typename');
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const install = { application: { appId }, store: store(), templateId: group_key, version: 'v0.10.3' };
    const planned = await trellis.succeed('installApplication', { ...install, dryRun: true }, omitted);
    expect(await trellis.succeed('installApplication', install, omitted)).toEqual(planned);
    const paths = planned.omitted.map(({ path }: any) => path);
    expect(paths).toEqual(expect.arrayContaining(['apps[].probes[].probe_id', 'apps[].service_name']));
    expect(paths.filter((path: string) => /probes(\[\d*\])?$/.test(path))).toEqual([]);
    const first = await healthOf(appId);
    expect(Object.values(first).flatMap(({ probes }) => Object.values(probes).filter(Boolean))).toHaveLength(
      apps.flatMap((each: any) => each.probes ?? []).length,
    );
    expect(first.frontend.probes.readiness).toEqual({
      http: {
        ...{ port: 8080, path: '/_healthz', scheme: 'HTTP' },
        headers: [{ name: 'Cookie', value: 'shop_session-id=x-readiness-probe' }],
      },
      ...{ tcp: null, grpc: null, command: null, periodSeconds: 10, initialDelaySeconds: 10 },
    });

    const headers = [{ name: 'X-A', value: 'a, b=c' }];
    const component = { componentId: first.frontend.uid };
    const own = {
      startup: { command: ['sh', '-c', "echo 'a b' && exit 0"] },
      readiness: { http: { port: 8080, scheme: 'HTTPS', headers } },
      liveness: { grpc: { port: 9, service: 'live' }, periodSeconds: 7 },
    };
    await trellis.succeed('setProbes', { component, ...own }, '__typename');
    const shutdown = {
      ...{ checksPorts: false, preStopSeconds: 0, terminationGracePeriodSeconds: 7 },
      deployDeadlineSeconds: 30,
      preDeployCommand: ['bin/migrate', '--all'],
      preDeployTimeoutSeconds: 60,
    };
    await trellis.succeed('updateComponent', { component, ...shutdown }, '__typename');
    const published = await trellis.succeed(
      'publishApplication',
      { application: { appId }, version: '1', catalogue: 'ENTERPRISE' },
      'template { key }',
    );
    const copy = await trellis.createApplication(await trellis.createPlace());
    const again = {
      ...install,
      application: { appId: copy.appId },
      version: '1',
      templateId: published.template.key,
    };
    const { omitted: left } = await trellis.succeed('installApplication', again, omitted);
    expect(left.filter((each: any) => each.component !== null)).toEqual([]);
    const withoutIds = async (id: number) =>
      Object.entries(await healthOf(id)).map(([name, { uid, ...rest }]) => [name, rest]);
    expect(await withoutIds(copy.appId)).toEqual(await withoutIds(appId));
  });

  it('follow an upgrade where no user has changed them, and come back with a rollback', async () => {
    const probeOf = (mode: string, port: number) => ({ mode, scheme: 'tcp', port, is_used: true });
    const { key, appId, groupId, components } = await installed(2, [
      (app) => Object.assign(app, { probes: [probeOf('readiness', 1), probeOf('liveness', 1)] }),
      (app) =>
        Object.assign(app, { probes: [probeOf('readiness', 2), probeOf('startup', 2)], labels: { a: 'b' } }),
    ]);
    const component = { componentId: components[0].uid };
    await trellis.succeed('setProbes', { component, readiness: { tcp: { port: 7 } } }, '__typename');
    const before = await healthOf(appId);
    const upgrades = [{ storeName: 'self', templateId: key, version: '2.0.0' }];
    const input = { application: { appId }, upgrades };
    const planned = await trellis.succeed('upgradeApplication', { ...input, dryRun: true }, omitted);
    expect(planned.omitted.slice(0, 2)).toEqual([
      { component: 'part-0', path: 'apps[0].labels', reason: 'Components have no labels.' },
      { component: 'part-1', path: 'apps[1].labels', reason: 'Components have no labels.' },
    ]);
    expect(await healthOf(appId)).toEqual(before);
    expect((await upgrade(appId, key)).outcomes[0].changes.map(({ name }: any) => name)).toEqual(
      expect.arrayContaining(['readinessProbe', 'startupProbe', 'livenessProbe']),
    );
    const ports = async () =>
      Object.values(await healthOf(appId)).map(({ probes }) =>
        [probes.startup, probes.readiness, probes.liveness].map((each) => each?.tcp.port ?? null),
      );
    expect(await ports()).toEqual([
      [2, 7, null],
      [2, 2, null],
    ]);
    await rollBack(groupId);
    expect(await healthOf(appId)).toEqual(before);
  });
});
