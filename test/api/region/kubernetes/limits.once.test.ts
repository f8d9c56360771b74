import { describe, expect, it } from 'vitest';
import { type Deployed, deploy, objectIn, settledJobs } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, place } = useClusterWorld({ jobs: { backoffMaxMs: 200 }, reconciles: true }, { place: {} });

const resourcesOf = ({ alias }: Deployed) =>
  objectIn(place, 'Deployment', alias).spec.template.spec.containers[0].resources;

describe('the limits of instances', { timeout: 120_000 }, () => {
  it('are those of the component, and are removed from what runs', async () => {
    const [same, apart] = (await deploy(trellis, place, [
      {},
      { cpuLimitMillicores: null, memoryLimitMiB: 1024 },
    ])) as [Deployed, Deployed];
    const requests = { cpu: '500m', memory: '512Mi' };
    expect(resourcesOf(same)).toEqual({ requests, limits: requests });
    expect(resourcesOf(apart)).toEqual({ requests, limits: { memory: '1Gi' } });
    const component = { componentId: apart.componentId };
    const change = { component, memoryLimitMiB: null, deploy: true };
    await trellis.succeed('updateComponent', change, '__typename');
    await settledJobs(trellis, place);
    expect(resourcesOf(apart)).toEqual({ requests, limits: {} });
  });
});
