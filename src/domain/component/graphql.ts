import { z } from 'zod';
import { exposeEnum, restName } from '../../graphql/schema/builder.ts';
import { wantedObject } from '../../graphql/schema/columns.ts';
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
import { visibleUserById } from '../user/reads.ts';
import { componentActions } from './action-model.ts';
import { replicasNow, scaledColumns } from './autoscaling/reads.ts';
import { ComponentGroup } from './group-graphql.ts';
import {
  type ComponentStatus,
  componentCategory,
  componentRef,
  componentStatus,
  componentStatuses,
  type DeployState,
  deployStates,
  extendMethod,
  stateNames,
} from './model.ts';
import { isUpgradable, mayActOnComponent, visibleComponent, visibleComponentGroup } from './reads.ts';
import { ComponentSource } from './source-graphql.ts';
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
  undeploy: 'It was never deployed.',
  running: 'It is deployed and has not been stopped.',
  closed: 'It was stopped.',
};

export const DesiredStateEnum = enumOf(
  'DesiredState',
  z.enum(desiredStates),
  'The state that a component should have.',
  meaningOfDesired,
  (state) => stateNames[state as DeployState],
);

const ExtendMethod = enumOf('ExtendMethod', extendMethod, 'How the instances of a component are deployed.', {
  stateless: 'Instances are interchangeable.',
  state: 'Each instance has a stable name and its own volumes.',
});

const ComponentCategory = enumOf('ComponentCategory', componentCategory, 'The category of a component.', {
  application: 'An application.',
  cache: 'A cache.',
  store: 'A data store.',
});

export const Component = entity('Component', 'Component', {
  description:
    'A component, also called a service: the instances of one image, with ports, environment variables and volumes.',
  read: visibleComponent,
  id: (row) => row.id,
  revision:
    'Changes of its environment variables and dependencies are counted, those of its ports, rules and volumes are not.',
  fields: (t) => ({
    uid: t.exposeID('id', {
      description: restName('The id of the component. Use it as `componentId` in references.', 'service_id'),
    }),
    key: t.exposeString('key', {
      description: restName(
        'The key of the component, which is the same in every version of its template.',
        'service_key',
      ),
    }),
    alias: t.exposeString('alias', {
      description: restName('The unique name in the team and region, a DNS label.', 'service_alias'),
    }),
    name: t.exposeString('name', { description: restName('The display name.', 'service_cname') }),
    clusterName: t.exposeString('clusterName', {
      description: restName('The name in the cluster.', 'cluster_component_name'),
    }),
    serviceName: t.exposeString('serviceName', {
      nullable: true,
      description: restName(
        'The internal domain name of all ports of the component. Null if it has no ports.',
        'cluster_service_name',
      ),
    }),
    state: t.using('id', 'alias').field({
      type: ComponentStateEnum,
      ...nullOnError,
      description:
        'The state at runtime. Null with a REGION_UNAVAILABLE error if the cluster does not respond. REST: `status`.',
      resolve: (component, _, context) => statusOf(context, component),
    }),
    desiredState: exposeEnum(t, 'deployState', {
      type: DesiredStateEnum,
      description: 'The state that the component should have. `state` is the one that it has.',
    }),
    hasUndeployedChanges: t.exposeBoolean('hasUndeployedChanges', {
      description:
        'Whether the component was changed since it was deployed. The changes take effect with its next deploy.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: restName('A description of the component.', 'desc'),
    }),
    category: exposeEnum(t, 'category', {
      type: ComponentCategory,
      description: `The category. ${onlyStored}`,
    }),
    version: t.exposeString('version', { description: 'The version.' }),
    releaseCount: t.exposeInt('updateVersion', {
      description: restName('The number of deploys.', 'update_version'),
    }),
    image: t.exposeString('image', { description: 'The image reference.' }),
    command: t.exposeString('command', {
      nullable: true,
      description: restName('The start arguments.', 'cmd'),
    }),
    replicas: t.using(...scaledColumns).int({
      description: restName(
        'The number of instances. With an autoscaling, the one that the cluster has set.',
        'min_node',
      ),
      resolve: (component, _, context) => replicasNow(context, component),
    }),
    cpuMillicores: t.exposeInt('cpuMillicores', {
      description: restName('The CPU request per instance, in millicores (1000 = 1 core).', 'min_cpu'),
    }),
    memoryMiB: t.exposeInt('memoryMiB', {
      description: restName('The memory request per instance, in MiB.', 'min_memory'),
    }),
    totalMemoryMiB: t.using(...scaledColumns, 'memoryMiB').float({
      description: restName('The memory request of all instances, in MiB.', 'total_memory'),
      resolve(component, _, context) {
        const replicas = replicasNow(context, component);
        const total = (count: number) => count * component.memoryMiB;
        return typeof replicas === 'number' ? total(replicas) : replicas.then(total);
      },
    }),
    gpuMemoryMiB: t.exposeInt('gpuMemoryMiB', {
      description: restName(`The GPU memory per instance, in MiB. ${onlyStored}`, 'container_gpu'),
    }),
    extendMethod: exposeEnum(t, 'extendMethod', {
      type: ExtendMethod,
      description: restName('How the instances are deployed.', 'extend_method'),
    }),
    kind: t.exposeString('componentType', {
      nullable: true,
      description: restName(
        'The kind of workload, for example `web`, `mysql`, `redis` or `mongodb`.',
        'service_type',
      ),
    }),
    isInner: t.exposeBoolean('isInner', {
      description: restName(`Whether this is an internal component. ${onlyStored}`, 'is_service'),
    }),
    origin: t.exposeString('origin', {
      description: restName(
        'How the component was created. Always `assistant`, because components are created through this API.',
        'service_origin',
      ),
    }),
    source: t.field({
      type: ComponentSource,
      description: 'The source of the component.',
      resolve: (component) => ({ ...component, kind: component.sourceKind }),
    }),
    opensWebhooks: t.exposeBoolean('openWebhooks', {
      description: restName('Whether deploy hooks can deploy the component.', 'open_webhooks'),
    }),
    createStatus: t.using().string({
      nullable: true,
      description: restName(
        'The status of the creation. Always null, because a component is created in one step.',
        'create_status',
      ),
      resolve: () => null,
    }),
    isUpgradable: t.using('groupId').boolean({
      description: restName(
        'Whether the store offered a version newer than the installed one when it last responded. False for components that were not installed from a template.',
        'is_upgrate',
      ),
      resolve: (component, _, context) => isUpgradable(context, component),
    }),
    isUpgradedAfterBuild: t.exposeBoolean('buildUpgrade', {
      description: restName(
        `Whether the component is upgraded after a build. ${onlyStored}`,
        'build_upgrade',
      ),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time of the last change.' }),
    group: relatedOrNull(t, 'groupId', ComponentGroup, {
      read: (context, id) => visibleComponentGroup(context, String(id)),
      description: restName(
        'The components that were installed together with this one. Null if the component was not installed from a template.',
        'tenant_service_group_id',
      ),
    }),
    creator: relatedOrNull(t, 'creatorId', User, {
      read: visibleUserById,
      description: restName(
        'The user who created it. Null if the account no longer exists or is not visible to the caller.',
        'creater',
      ),
    }),
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
    team: related(t, 'teamId', Team, {
      read: loadTeam,
      description: restName('The team that the component belongs to.', 'tenant_id'),
    }),
    region: related(t, 'regionId', Region, {
      read: loadRegion,
      description: restName('The region that the component runs in.', 'service_region'),
    }),
  }),
});

viewerCan(Component, {
  noun: 'a component',
  actions: componentActions,
  columns: ['id', 'applicationId', 'teamId', 'regionId', 'deployState'],
  unless: 'the region is not enabled, the deploy state of the component does not allow it',
  decide: mayActOnComponent,
});
