import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField, orderInput } from '../../graphql/schema/connection.ts';
import { enumOf, inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { search } from '../../kernel/validate.ts';
import { Application } from '../application/graphql.ts';
import { applicationById } from '../application/reads.ts';
import { Region } from '../region/graphql.ts';
import { regionById } from '../region/reads.ts';
import { Team } from '../team/graphql.ts';
import { teamById } from '../team/reads.ts';
import { User } from '../user/graphql.ts';
import { visibleUserById } from '../user/reads.ts';
import {
  componentCategory,
  componentRef,
  componentStatus,
  componentStatuses,
  createComponent,
  environmentVariable,
  extendMethod,
  volume,
} from './model.ts';
import * as operations from './operations.ts';
import { ComponentGroup, EnvironmentVariable, VariableScope, Volume } from './parts-graphql.ts';
import {
  componentGroupById,
  componentsOf,
  dependenciesOf,
  isUpgradable,
  namedComponent,
  statusOf,
  visibleComponent,
  volumesOf,
} from './reads.ts';
import { ComponentSource } from './source-graphql.ts';
import { variablesOf } from './variables.ts';

export const ComponentRef = referenceOf(
  'ComponentRef',
  componentRef,
  'Names a component: exactly one field.',
);

const ComponentStatusEnum = enumOf(
  'ComponentStatus',
  componentStatus,
  'What the cluster says of a component.',
  componentStatuses,
);

const ExtendMethod = enumOf('ExtendMethod', extendMethod, 'How instances of a component are run.', {
  stateless: 'Instances are alike.',
  state: 'Each instance keeps its own name and volumes.',
});

const ComponentCategory = enumOf('ComponentCategory', componentCategory, 'Classification of a component.', {
  application: 'An application.',
  cache: 'A cache.',
  store: 'A data store.',
});

export const Component = entity('Component', 'Component', {
  description:
    'A component, also called service: one image, with its instances, ports, variables and volumes.',
  read: visibleComponent,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeID('id', {
      description: restName('Identifier of the component; `{ componentId }` in references.', 'service_id'),
    }),
    key: t.exposeString('key', {
      description: restName(
        'Key of the component: the same in every version of its template.',
        'service_key',
      ),
    }),
    alias: t.exposeString('alias', {
      description: restName('Unique name in the team and region, a DNS label.', 'service_alias'),
    }),
    name: t.exposeString('name', { description: restName('Name shown to people.', 'service_cname') }),
    clusterName: t.exposeString('clusterName', {
      description: restName('Name in the cluster.', 'cluster_component_name'),
    }),
    serviceName: t.exposeString('serviceName', {
      nullable: true,
      description: restName(
        'Inner domain, of all its ports; null while it has none.',
        'cluster_service_name',
      ),
    }),
    status: t.field({
      type: ComponentStatusEnum,
      nullable: true,
      description: 'What the cluster says; null with the error REGION_UNAVAILABLE when it does not answer.',
      columns: ['id', 'alias'],
      resolve: (component, _, context) => statusOf(context, component),
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: restName('What it is for.', 'desc'),
    }),
    category: t.field({
      type: ComponentCategory,
      description: 'Classification.',
      columns: ['category'],
      resolve: ({ category }) => category as 'application',
    }),
    version: t.exposeString('version', { description: 'Version.' }),
    releaseCount: t.exposeInt('updateVersion', {
      description: restName('Count of internal releases.', 'update_version'),
    }),
    image: t.exposeString('image', { description: 'Image reference.' }),
    command: t.exposeString('command', { nullable: true, description: restName('Start arguments.', 'cmd') }),
    replicas: t.exposeInt('replicas', { description: restName('Number of instances.', 'min_node') }),
    cpuMillicores: t.exposeInt('cpuMillicores', {
      description: restName('Per instance, 1000 = 1 core.', 'min_cpu'),
    }),
    memoryMiB: t.exposeInt('memoryMiB', { description: restName('Per instance, in MiB.', 'min_memory') }),
    totalMemoryMiB: t.float({
      description: restName('All instances together, in MiB.', 'total_memory'),
      columns: ['replicas', 'memoryMiB'],
      resolve: ({ replicas, memoryMiB }) => replicas * memoryMiB,
    }),
    gpuMemoryMiB: t.exposeInt('gpuMemoryMiB', {
      description: restName('Memory of graphics processors, in MiB.', 'container_gpu'),
    }),
    extendMethod: t.field({
      type: ExtendMethod,
      description: restName('How its instances are run.', 'extend_method'),
      columns: ['extendMethod'],
      resolve: (component) => component.extendMethod as 'stateless',
    }),
    kind: t.exposeString('componentType', {
      nullable: true,
      description: restName('`web`, `mysql`, `redis`, `mongodb` or the like.', 'service_type'),
    }),
    isInner: t.exposeBoolean('isInner', {
      description: restName('Whether it is an inner component.', 'is_service'),
    }),
    origin: t.exposeString('origin', {
      description: restName(
        'How it was created. Always `assistant`: components are created through this API.',
        'service_origin',
      ),
    }),
    source: t.field({
      type: ComponentSource,
      description: 'Where it comes from.',
      resolve: (component) => ({ ...component, kind: component.sourceKind }),
    }),
    opensWebhooks: t.exposeBoolean('openWebhooks', {
      description: restName('Whether a webhook deploys it.', 'open_webhooks'),
    }),
    createStatus: t.string({
      nullable: true,
      description: restName(
        '`creating` while it is being created. Always null: a component is created in one step, and not seen before.',
        'create_status',
      ),
      columns: [],
      resolve: () => null,
    }),
    isUpgradable: t.boolean({
      description: restName(
        'Whether a version newer than the installed one was offered the last time the store answered; false for a component that was created by hand.',
        'is_upgrate',
      ),
      columns: ['groupId'],
      resolve: (component, _, context) => isUpgradable(context, component),
    }),
    isUpgradedAfterBuild: t.exposeBoolean('buildUpgrade', {
      description: restName('Whether it is upgraded after a build.', 'build_upgrade'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
    group: t.field({
      type: ComponentGroup,
      nullable: true,
      description: restName(
        'The components that came from the same template with it; null for one made by hand.',
        'tenant_service_group_id',
      ),
      columns: ['groupId'],
      resolve: (component, _, context) =>
        component.groupId === null ? null : componentGroupById(context, component.groupId),
    }),
    creator: t.field({
      type: User,
      nullable: true,
      description: restName(
        'The user who created it; null when the account is gone or not visible to the caller.',
        'creater',
      ),
      columns: ['creatorId'],
      resolve: (component, _, context) =>
        component.creatorId === null ? null : visibleUserById(context, component.creatorId),
    }),
    application: t.field({
      type: Application,
      description: 'The application that it is part of.',
      columns: ['applicationId'],
      resolve: async (component, _, context) => (await applicationById(context, component.applicationId))!,
    }),
    team: t.field({
      type: Team,
      description: restName('Whose component it is.', 'tenant_id'),
      columns: ['teamId'],
      resolve: async (component, _, context) => (await teamById(context, component.teamId))!,
    }),
    region: t.field({
      type: Region,
      description: restName('Where it runs.', 'service_region'),
      columns: ['regionId'],
      resolve: async (component, _, context) => (await regionById(context, component.regionId))!,
    }),
    variables: connectionField(t, {
      node: EnvironmentVariable,
      plural: 'environment variables',
      description:
        'The environment variables, by name. For each port that is open inside the cluster, the connection variables `{ALIAS}_HOST` and `{ALIAS}_PORT` are among them.',
      args: builder.args((arg) => ({
        scope: arg.field({ type: VariableScope, description: 'Only those of this scope.' }),
      })),
      columns: ['id'],
      list: (component, { scope }) => variablesOf(component.id, scope),
    }),
    volumes: connectionField(t, {
      node: Volume,
      plural: 'volumes',
      description: 'Its volumes, by name.',
      columns: ['id'],
      list: (component) => volumesOf(component.id),
    }),
  }),
});

builder.objectFields(Component, (t) => ({
  dependencies: connectionField(t, {
    node: Component,
    plural: 'components',
    description: 'The components that it depends on, by name.',
    columns: ['id'],
    list: (component) => dependenciesOf(component.id, 'dependencies'),
  }),
  dependents: connectionField(t, {
    node: Component,
    plural: 'components',
    description: 'The components that depend on it, by name.',
    columns: ['id'],
    list: (component) => dependenciesOf(component.id, 'dependents'),
  }),
}));

const ComponentOrder = orderInput('Component', { NAME: 'Name.', CREATED_AT: 'Time of creation.' });

builder.queryField('component', (t) =>
  t.field({
    type: Component,
    nullable: true,
    description: 'A component that the caller may see.',
    args: {
      by: t.arg({
        type: ComponentRef,
        required: true,
        description: 'Which component.',
        validate: { schema: componentRef } as never,
      }),
    },
    resolve: (_, { by }, context) => namedComponent(context, by),
  }),
);

builder.objectField(Application, 'components', (t) =>
  connectionField(t, {
    node: Component,
    plural: 'components',
    description: 'The components of the application. REST: `GET …/services`.',
    args: builder.args((arg) => ({
      search: arg.string({
        description: 'Part of the name or alias, in any case.',
        validate: { schema: search() } as never,
      }),
      orderBy: arg.field({ type: ComponentOrder, description: 'The order; by name when left out.' }),
    })),
    columns: ['id'],
    list: (application, args) => componentsOf(application.id, args),
  }),
);

inputOf('EnvironmentVariableInput', environmentVariable, 'A new environment variable.');
inputOf('VolumeInput', volume, 'A new volume.');

mutation('createComponent', {
  description: 'Creates a component from an image. Requires the `developer` role in the team.',
  input: createComponent,
  errors: [QuotaExceededError] as never,
  run: async (context, input) => ({ component: await operations.createComponent(context, input) }),
  payload: (t) => ({
    component: t.expose('component', { type: Component, description: 'The new component.' }),
  }),
});
