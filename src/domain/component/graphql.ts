import { z } from 'zod';
import { wantedObject } from '../../graphql/schema/columns.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { entity } from '../../graphql/schema/node.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { viewerCan } from '../../graphql/schema/viewer-can.ts';
import { readAhead } from '../../kernel/batch.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { Region } from '../region/graphql.ts';
import { loadRegion } from '../region/reads.ts';
import { Team } from '../team/graphql.ts';
import { loadTeam } from '../team/reads.ts';
import { User } from '../user/graphql.ts';
import { replicasNow, scaledColumns } from './autoscaling/reads.ts';
import { ComponentGroup } from './group-graphql.ts';
import { usableOf } from './limits-model.ts';
import { componentCategory, componentRef, extendMethod } from './model.ts';
import { isUpgradable, loadComponent, mayActOnComponent, visibleComponent } from './reads.ts';
import { ComponentSource } from './source-graphql.ts';
import {
  type ComponentStatus,
  componentStatus,
  componentStatuses,
  type DeployState,
  deployStates,
  stateNames,
} from './state-model.ts';
import { statusOf } from './status-reads.ts';

export const ComponentRef = referenceOf(
  'ComponentRef',
  componentRef,
  'Identifies a component. Set exactly one field.',
);

const ComponentStateEnum = enumOf(
  'ComponentState',
  componentStatus,
  'The state of a component at runtime.',
  componentStatuses,
  (status) => stateNames[status as ComponentStatus],
);

const desiredStates = Object.keys(deployStates) as [DeployState, ...DeployState[]];
const meaningOfDesired = {
  undeploy: 'Never deployed.',
  running: 'Deployed and not stopped.',
  closed: 'Stopped.',
};

export const DesiredStateEnum = enumOf(
  'DesiredState',
  z.enum(desiredStates),
  'The desired state of a component.',
  meaningOfDesired,
  (state) => stateNames[state as DeployState],
);

const ExtendMethod = enumOf(
  'ExtendMethod',
  extendMethod,
  'The way in which the instances of a component are deployed.',
  {
    stateless: 'Instances are interchangeable.',
    state: 'Each instance has a stable name and its own volumes.',
  },
);

const ComponentCategory = enumOf('ComponentCategory', componentCategory, 'The category of a component.', {
  application: 'An application.',
  cache: 'A cache.',
  store: 'A data store.',
});

export const Component = entity('Component', 'Component', {
  description:
    'A component, also called a service: the instances of one image, with ports, environment variables and volumes.',
  read: visibleComponent,
  load: loadComponent,
  revision:
    'Changes of its environment variables and dependencies are counted; changes of its ports, rules and volumes are not.',
  uid: 'The id of the component. Use it as `componentId` in references. REST: `service_id`.',
  exposes: {
    'key: String!':
      'The key of the component, which is the same in every version of its template. REST: `service_key`.',
    'alias: String!': 'The unique name in the team and region, a DNS label. REST: `service_alias`.',
    'name: String!': 'The display name. REST: `service_cname`.',
    'clusterName: String!': 'The name in the cluster. REST: `cluster_component_name`.',
    'serviceName: String':
      'The internal domain name of all ports of the component. Null if it has no ports. REST: `cluster_service_name`.',
    'hasUndeployedChanges: Boolean!':
      'Whether the component was changed since it was deployed. The changes take effect with its next deploy.',
    'description: String': 'A description of the component. REST: `desc`.',
    'version: String!': 'The version.',
    'image: String!': 'The image reference.',
    'entrypoint: String':
      'The program that replaces the entrypoint of the image. Null if the entrypoint of the image is used.',
    'command: String': 'The start arguments. REST: `cmd`.',
    'cpuMillicores: Int!': 'The CPU request per instance, in millicores (1000 = 1 core). REST: `min_cpu`.',
    'memoryMiB: Int!': 'The memory request per instance, in MiB. REST: `min_memory`.',
    'gpuMemoryMiB: Int!': `The GPU memory per instance, in MiB. ${onlyStored} REST: \`container_gpu\`.`,
    'isInner: Boolean!': `Whether this is an internal component. ${onlyStored} REST: \`is_service\`.`,
    'origin: String!':
      'How the component was created. Always `assistant`, because components are created through this API. REST: `service_origin`.',
    'createdAt: DateTime!': 'The creation time.',
    'updatedAt: DateTime!': 'The time of the last change.',
    category: property(ComponentCategory, `The category. ${onlyStored}`),
    extendMethod: property(
      ExtendMethod,
      'The way in which the instances are deployed. REST: `extend_method`.',
    ),
  },
  fields: (t) => ({
    state: t.using('id', 'name').field({
      type: ComponentStateEnum,
      ...nullOnError,
      description:
        'The state at runtime. Null with a REGION_UNAVAILABLE error if the cluster does not respond. REST: `status`.',
      resolve: (component, _, context) => statusOf(context, component),
    }),
    desiredState: t.expose('deployState', {
      type: DesiredStateEnum,
      description: 'The desired state of the component. `state` is its actual state.',
    } as never),
    releaseCount: t.exposeInt('updateVersion', {
      description: 'The number of deploys. REST: `update_version`.',
    }),
    replicas: t.using(...scaledColumns).int({
      description:
        'The number of instances. With autoscaling, the number that the cluster has set. REST: `min_node`.',
      resolve: (component, _, context) => replicasNow(context, component),
    }),
    totalMemoryMiB: t.using(...scaledColumns, 'memoryMiB').float({
      description: 'The memory request of all instances, in MiB. REST: `total_memory`.',
      resolve(component, _, context) {
        const replicas = replicasNow(context, component);
        const total = (count: number) => count * component.memoryMiB;
        return typeof replicas === 'number' ? total(replicas) : replicas.then(total);
      },
    }),
    cpuLimitMillicores: t.using('cpuMillicores', 'cpuLimitMillicores').int({
      nullable: true,
      description: 'The CPU that an instance can use, in millicores. Null if there is no limit.',
      resolve: ({ cpuMillicores, cpuLimitMillicores }) => usableOf(cpuMillicores, cpuLimitMillicores),
    }),
    memoryLimitMiB: t.using('memoryMiB', 'memoryLimitMiB').int({
      nullable: true,
      description: 'The memory that an instance can use, in MiB. Null if there is no limit.',
      resolve: ({ memoryMiB, memoryLimitMiB }) => usableOf(memoryMiB, memoryLimitMiB),
    }),
    kind: t.exposeString('componentType', {
      nullable: true,
      description:
        'The kind of workload, for example `web`, `mysql`, `redis` or `mongodb`. REST: `service_type`.',
    }),
    source: t.field({
      type: ComponentSource,
      description: 'The source of the component.',
      resolve: (component) => ({ ...component, kind: component.sourceKind }),
    }),
    opensWebhooks: t.exposeBoolean('openWebhooks', {
      description: 'Whether deploy hooks can deploy the component. REST: `open_webhooks`.',
    }),
    createStatus: t.using().string({
      nullable: true,
      description:
        'The status of the creation. Always null, because a component is created in one step. REST: `create_status`.',
      resolve: () => null,
    }),
    isUpgradable: t.using('groupId').boolean({
      description:
        'Whether the store offered a version newer than the installed one when it last responded. False for components that were not installed from a template. REST: `is_upgrate`.',
      resolve: (component, _, context) => isUpgradable(context, component),
    }),
    isUpgradedAfterBuild: t.exposeBoolean('buildUpgrade', {
      description: `Whether the component is upgraded after a build. ${onlyStored} REST: \`build_upgrade\`.`,
    }),
    group: relatedOrNull(
      t,
      'groupId',
      ComponentGroup,
      'The components that were installed together with this one. Null if the component was not installed from a template. REST: `tenant_service_group_id`.',
    ),
    creator: relatedOrNull(
      t,
      'creatorId',
      User,
      'The user who created the object. Null if the account no longer exists or is not visible to the caller. REST: `creater`.',
    ),
    application: t.using('applicationId', 'teamId', 'regionId').field({
      type: Application,
      description: 'The application that the component belongs to.',
      resolve: ({ applicationId, teamId, regionId }, _, context, info) => {
        // Its team and region are the component's, so that they are read in one step with the application.
        const { fields, columns } = wantedObject(info, 'Application');
        if (fields.has('team')) readAhead(loadTeam(context, teamId));
        if (fields.has('region')) readAhead(loadRegion(context, regionId));
        return loadApplication(context, applicationId, columns);
      },
    }),
    team: related(t, 'teamId', Team, 'The team that the component belongs to. REST: `tenant_id`.'),
    region: related(t, 'regionId', Region, 'The region that the component runs in. REST: `service_region`.'),
  }),
});

viewerCan(Component, {
  noun: 'a component',
  type: 'Component',
  columns: ['id', 'applicationId', 'teamId', 'regionId', 'deployState'],
  unless: 'the region is not enabled or the deploy state of the component does not allow it',
  decide: mayActOnComponent,
});
