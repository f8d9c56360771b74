import type { ClusterInstance } from '../../drivers/region/kubernetes/clusters.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { Component } from './graphql.ts';
import { instancesOf, maxInstances } from './instance-reads.ts';

const ComponentInstance = builder.objectRef<ClusterInstance>('ComponentInstance').implement({
  description: 'An instance of a component in a cluster.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the pod.' }),
    node: t.exposeString('node', {
      nullable: true,
      description: 'The node that it runs on. Null as long as it has none.',
    }),
    phase: t.exposeString('phase', {
      description: 'The phase: `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown` or `Terminating`.',
    }),
    isReady: t.exposeBoolean('isReady', { description: 'Whether it serves requests.' }),
    restarts: t.exposeInt('restarts', { description: 'How often its containers were restarted.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was started on its node. Null if it was not.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it cannot start. Null if nothing is wrong.',
    }),
  }),
});

builder.objectField(Component, 'instances', (t) =>
  t.field({
    type: [ComponentInstance],
    nullable: true,
    description: `The instances in the cluster, by name, at most ${maxInstances}. Empty if the driver of the region is not KUBERNETES. Null for callers without the \`developer\` role in the team, and with a REGION_UNAVAILABLE error if the cluster does not respond.`,
    columns: ['id', 'alias', 'teamId', 'regionId'],
    resolve: (component, _, context) => instancesOf(context, component),
  }),
);
