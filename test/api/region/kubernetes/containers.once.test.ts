import { describe, expect, it } from 'vitest';
import { type Deployed, deploy, objectIn, settledJobs } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, place } = useClusterWorld({ jobs: { backoffMaxMs: 200 } }, { place: {} });

const containerOf = ({ alias }: Deployed) =>
  objectIn(place, 'Deployment', alias).spec.template.spec.containers[0];
const changed = async ({ componentId }: Deployed, change: object) => {
  const input = { component: { componentId }, ...change, deploy: true };
  await trellis.succeed('updateComponent', input, '__typename');
  await settledJobs(trellis, place);
};

describe('the containers of a component', { timeout: 120_000 }, () => {
  it('have its limits, which are removed from what runs', async () => {
    const [same, apart] = (await deploy(trellis, place, [
      {},
      { cpuLimitMillicores: null, memoryLimitMiB: 1024 },
    ])) as [Deployed, Deployed];
    const requests = { cpu: '500m', memory: '512Mi' };
    expect(containerOf(same).resources).toEqual({ requests, limits: requests });
    expect(containerOf(apart).resources).toEqual({ requests, limits: { memory: '1Gi' } });
    await changed(apart, { memoryLimitMiB: null });
    expect(containerOf(apart).resources).toEqual({ requests, limits: {} });
  });

  it('listen on both transports of a port, which the Services have', async () => {
    const [dns] = (await deploy(trellis, place)) as [Deployed];
    const port = { component: { componentId: dns.componentId }, number: 53 };
    await trellis.succeed('addPort', { ...port, protocol: 'TCP', isInner: true }, '__typename');
    await settledJobs(trellis, place);
    const both = ['TCP', 'UDP'].map((protocol) => ({ protocol, containerPort: 53 }));
    const service = () =>
      objectIn(place, 'Service', dns.alias).spec.ports.map((each: any) => [each.protocol, each.port]);
    expect([containerOf(dns).ports, service()]).toMatchObject([both.slice(0, 1), [['TCP', 53]]]);
    const change = async (protocol: string) => {
      await trellis.succeed('changePortProtocol', { port: { at: port }, protocol }, '__typename');
      await settledJobs(trellis, place);
    };
    await change('TCP_UDP');
    expect(containerOf(dns).ports).toMatchObject(both);
    expect(service()).toEqual([
      ['TCP', 53],
      ['UDP', 53],
    ]);
    await change('UDP');
    expect([containerOf(dns).ports, service()]).toMatchObject([both.slice(1), [['UDP', 53]]]);
  });

  it('start its entrypoint with its arguments, or those of the image', async () => {
    const entrypoint = `sh -c 'exec "$0" "it'\\''s"' ''`;
    const [plain, own] = (await deploy(trellis, place, [{ command: 'a "b c"' }, { entrypoint }])) as [
      Deployed,
      Deployed,
    ];
    expect(containerOf(plain)).toMatchObject({ args: ['a', 'b c'] });
    expect(containerOf(plain).command).toBeUndefined();
    expect(containerOf(own)).toMatchObject({ command: ['sh', '-c', `exec "$0" "it's"`, ''] });
    expect(containerOf(own).args).toBeUndefined();
    await changed(own, { entrypoint: null, command: 'serve' });
    expect(containerOf(own)).toMatchObject({ args: ['serve'] });
    expect(containerOf(own).command).toBeUndefined();
  });
});
