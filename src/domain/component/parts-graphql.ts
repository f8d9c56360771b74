import { exposeEnum, restName } from '../../graphql/schema/builder.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { entity } from '../../graphql/schema/node.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { componentGroupRef, variableScope } from './model.ts';
import { visibleComponentGroup, visibleVolume } from './reads.ts';
import { isDerived, variableValue, visibleVariable } from './variables/reads.ts';
import { fileContentOf } from './volumes/file-reads.ts';

export const VariableScope = enumOf(
  'VariableScope',
  variableScope,
  'The components that receive an environment variable.',
  {
    environment: 'The component itself.',
    connection: 'The components that depend on it.',
  },
);

export const EnvironmentVariable = entity('EnvironmentVariable', 'EnvironmentVariable', {
  description: 'An environment variable of a component, or of the components that depend on it.',
  read: visibleVariable,
  id: (row) => row.id,
  revision: 'A derived variable has the revision of its port.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The unique name in the component and scope.' }),
    label: t.exposeString('label', { description: 'The display name.' }),
    value: t.string({
      nullable: true,
      description:
        'The value. Null if the variable is a secret and the caller does not have the `developer` role in the team.',
      columns: ['value', 'isSecret', 'sealedValue', 'componentId'],
      resolve: (variable, _, context) => variableValue(context, variable),
    }),
    isSecret: t.exposeBoolean('isSecret', {
      description:
        'Whether the value is a secret. Secrets are encrypted at rest and require the `developer` role to read.',
    }),
    isDerived: t.boolean({
      description:
        'Whether the variable is derived from a port that is open inside the cluster: its host or port number. A stored connection variable with the same name overrides it.',
      columns: ['id'],
      resolve: isDerived,
    }),
    scope: exposeEnum(t, 'scope', {
      type: VariableScope,
      description: 'The components that receive the variable.',
    }),
    isChangeable: t.exposeBoolean('isChangeable', {
      description:
        'Whether users can change the value. True for a derived variable, which can be overridden also if its template says otherwise.',
    }),
    portNumber: t.exposeInt('portNumber', {
      nullable: true,
      description: 'The number of the port that a connection variable describes. Null if there is none.',
    }),
  }),
});

export const Volume = entity('Volume', 'Volume', {
  description: 'A volume that is mounted into the instances of a component.',
  read: visibleVolume,
  id: (row) => row.id,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The unique name in the component.' }),
    path: t.exposeString('path', { description: 'The mount path.' }),
    type: t.exposeString('type', {
      description:
        'The type of the volume: `share-file`, `local`, `memoryfs`, `config-file` or another type of the cluster.',
    }),
    fileContent: t.string({
      description: 'The content of a `config-file` volume. Empty for other types.',
      columns: ['id'],
      // A volume that was just written or deleted has it.
      resolve: (volume, _, context) =>
        'fileContent' in volume ? volume.fileContent : fileContentOf(context, (volume as { id: number }).id),
    }),
    capacityGiB: t.exposeInt('capacityGiB', {
      nullable: true,
      description: 'The size, in GiB. Null if not set.',
    }),
    accessMode: t.exposeString('accessMode', {
      nullable: true,
      description: 'The access mode. Null if not set.',
    }),
    sharePolicy: t.exposeString('sharePolicy', {
      nullable: true,
      description: `The share policy. Null if not set. ${onlyStored}`,
    }),
  }),
});

referenceOf(
  'ComponentGroupRef',
  componentGroupRef,
  'Identifies a group of components. Set exactly one field.',
);

export const ComponentGroup = entity('ComponentGroup', 'ComponentGroup', {
  description: 'A group of components that were installed together from one template.',
  read: visibleComponentGroup,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', {
      description: restName('The numeric id of the group.', 'tenant_service_group_id'),
    }),
    name: t.exposeString('name', { description: 'The name of the template.' }),
    templateId: t.exposeString('templateId', {
      nullable: true,
      description: restName('The key of the template. Null if there is none.', 'app_model_id'),
    }),
    templateVersion: t.exposeString('templateVersion', {
      nullable: true,
      description: restName(
        'The installed version of the template. Null if there is none.',
        'current_version',
      ),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The installation time.' }),
    application: t.field({
      type: Application,
      description: 'The application that the group belongs to.',
      columns: ['applicationId'],
      resolve: (group, _, context) => loadApplication(context, group.applicationId),
    }),
  }),
});
