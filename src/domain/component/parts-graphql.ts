import { restName } from '../../graphql/schema/builder.ts';
import { enumOf } from '../../graphql/schema/input.ts';
import { entity } from '../../graphql/schema/node.ts';
import { Application } from '../application/graphql.ts';
import { applicationById } from '../application/reads.ts';
import { fileContentOf } from './files.ts';
import { variableScope } from './model.ts';
import { visibleComponentGroup, visibleVolume } from './reads.ts';
import { isDerived, variableValue, visibleVariable } from './variables.ts';

export const VariableScope = enumOf('VariableScope', variableScope, 'Who is told an environment variable.', {
  environment: 'The component itself.',
  connection: 'The components that depend on it.',
});

export const EnvironmentVariable = entity('EnvironmentVariable', 'EnvironmentVariable', {
  description:
    'An environment variable that instances of a component, or of those that depend on it, are started with.',
  read: visibleVariable,
  id: (row) => row.id,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique name in the component and scope.' }),
    label: t.exposeString('label', { description: 'What people call it.' }),
    value: t.string({
      nullable: true,
      description:
        'The value. Null if the variable is a secret and the caller does not have the `developer` role in the team.',
      columns: ['value', 'isSecret', 'sealedValue', 'componentId'],
      resolve: (variable, _, context) => variableValue(context, variable),
    }),
    isSecret: t.exposeBoolean('isSecret', {
      description: 'Whether the value is a secret: encrypted at rest, and hidden from viewers.',
    }),
    isDerived: t.boolean({
      description:
        'Whether the variable is derived from a port that is open inside the cluster: its host or its number. A connection variable of the same name takes its place.',
      columns: ['id'],
      resolve: isDerived,
    }),
    scope: t.field({
      type: VariableScope,
      description: 'Who is told it.',
      columns: ['scope'],
      resolve: ({ scope }) => scope as 'environment',
    }),
    isChangeable: t.exposeBoolean('isChangeable', { description: 'Whether users may change the value.' }),
    portNumber: t.exposeInt('portNumber', {
      nullable: true,
      description: 'The port that a connection variable speaks of; null for none.',
    }),
  }),
});

export const Volume = entity('Volume', 'Volume', {
  description: 'Storage that is mounted into the instances of a component.',
  read: visibleVolume,
  id: (row) => row.id,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique name in the component.' }),
    path: t.exposeString('path', { description: 'Where it is mounted.' }),
    type: t.exposeString('type', {
      description: 'Kind: `share-file`, `local`, `memoryfs`, `config-file`, ….',
    }),
    fileContent: t.string({
      description: 'Content of a `config-file`; empty otherwise.',
      columns: ['id'],
      resolve: (volume, _, context) => fileContentOf(context, volume.id),
    }),
    capacityGiB: t.exposeInt('capacityGiB', {
      nullable: true,
      description: 'Size in GiB; null when none is set.',
    }),
    accessMode: t.exposeString('accessMode', {
      nullable: true,
      description: 'Access mode; null when none is set.',
    }),
    sharePolicy: t.exposeString('sharePolicy', {
      nullable: true,
      description: 'Share policy; null when none is set.',
    }),
  }),
});

export const ComponentGroup = entity('ComponentGroup', 'ComponentGroup', {
  description: 'The components that one template brought into an application.',
  read: visibleComponentGroup,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: restName('Number of the group.', 'tenant_service_group_id') }),
    name: t.exposeString('name', { description: 'Name of the template.' }),
    templateId: t.exposeString('templateId', {
      nullable: true,
      description: restName('The template; null for none.', 'app_model_id'),
    }),
    templateVersion: t.exposeString('templateVersion', {
      nullable: true,
      description: restName('The installed version of the template; null for none.', 'current_version'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was installed.' }),
    application: t.field({
      type: Application,
      description: 'The application that it belongs to.',
      columns: ['applicationId'],
      resolve: async (group, _, context) => (await applicationById(context, group.applicationId))!,
    }),
  }),
});
