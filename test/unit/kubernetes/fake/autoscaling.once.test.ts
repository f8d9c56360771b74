import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import type { Answer } from '../../../support/kubernetes/api/status.ts';
import { Cluster } from '../../../support/kubernetes/cluster.ts';

/** A cluster whose time passes when a test lets it, with a Deployment `web` that `trellis` applies. */
function start(replicas: number | undefined) {
  const cluster = new Cluster();
  cluster.store.put('Namespace', { metadata: { name: 'ns' } });
  const send = (group: string, plural: string, body: object, manager = 'trellis') =>
    cluster.handle(
      {
        method: 'PATCH',
        path: `/apis/${group}/namespaces/ns/${plural}/web?fieldManager=${manager}`,
        contentType: 'application/apply-patch+yaml',
        body: { apiVersion: group, metadata: { name: 'web' }, ...body },
      },
      'admin',
    ) as Answer;
  const apply = (count: number | undefined) =>
    send('apps/v1', 'deployments', {
      kind: 'Deployment',
      spec: {
        ...(count !== undefined && { replicas: count }),
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'main', image: 'registry.example/web:1' }] },
        },
      },
    });
  const own = (count: number) =>
    send('apps/v1', 'deployments', { kind: 'Deployment', spec: { replicas: count } }, 'other');
  const autoscale = (minReplicas: number, maxReplicas: number) =>
    send('autoscaling/v2', 'horizontalpodautoscalers', {
      kind: 'HorizontalPodAutoscaler',
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        ...{ minReplicas, maxReplicas },
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ],
      },
    });
  const read = (): number => cluster.store.get(kindNamed('Deployment'), 'ns', 'web')!.object.spec.replicas;
  const conditions = () =>
    cluster.store
      .get(kindNamed('HorizontalPodAutoscaler'), 'ns', 'web')!
      .object.status.conditions.map(({ type, status, reason }: any) => `${type} ${status} ${reason}`);
  apply(replicas);
  return { cluster, apply, own, autoscale, read, conditions };
}

describe('the number of instances of a Deployment in the fake cluster', () => {
  it('becomes 1 with an apply that leaves it out, unless somebody else has it', () => {
    const alone = start(3);
    alone.apply(undefined);
    expect(alone.read()).toBe(1);
    const shared = start(3);
    shared.own(3);
    shared.apply(undefined);
    expect(shared.read()).toBe(3);
    expect(start(undefined).read()).toBe(1);
  });

  it('belongs to the autoscaler that has changed it', () => {
    const { cluster, apply, autoscale, read } = start(2);
    autoscale(3, 4);
    cluster.pass(14);
    expect(read()).toBe(2);
    cluster.pass(2);
    expect(read()).toBe(3);
    const refused = apply(2);
    expect(refused.status).toBe(409);
    expect((refused.body as any).details.causes).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "kube-controller-manager" with subresource "scale" using apps/v1',
        field: '.spec.replicas',
      },
    ]);
    expect(apply(undefined).status).toBe(200);
    expect(read()).toBe(3);
  });
});

describe('the autoscalers of the fake cluster', () => {
  it('only keep the bounds without metrics, and leave a Deployment alone that has no instances', () => {
    const { cluster, autoscale, read, conditions, apply } = start(9);
    autoscale(2, 4);
    cluster.pass(16);
    expect(read()).toBe(4);
    expect(conditions()).toEqual([
      'AbleToScale True SucceededRescale',
      'ScalingActive False FailedGetResourceMetric',
    ]);
    cluster.pass(600);
    expect(read()).toBe(4);
    const stopped = start(0);
    stopped.autoscale(2, 4);
    stopped.cluster.pass(600);
    expect(stopped.read()).toBe(0);
    expect(stopped.conditions()).toContain('ScalingActive False ScalingDisabled');
    expect(apply(4).status).toBe(200);
  });

  it('follow the load: up at once, down after five minutes, and not for a small difference', () => {
    const { cluster, autoscale, read } = start(2);
    autoscale(1, 20);
    cluster.loads.set('web', { cpu: 300 });
    cluster.pass(16);
    expect(read()).toBe(6);
    cluster.loads.set('web', { cpu: 320 });
    cluster.pass(60);
    expect(read()).toBe(6);
    cluster.loads.set('web', { cpu: 50 });
    cluster.pass(240);
    expect(read()).toBe(6);
    cluster.pass(120);
    expect(read()).toBe(1);
    cluster.loads.set('web', { cpu: 2_000 });
    cluster.pass(15);
    // At most by four, or to twice as many.
    expect(read()).toBe(5);
    cluster.pass(60);
    expect(read()).toBe(20);
  });
});
