import { exposeEnum } from '../../../graphql/schema/builder.ts';
import { enumOf } from '../../../graphql/schema/input.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { variableScope } from '../model.ts';
import { isDerived, variableValue, visibleVariable } from './reads.ts';

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
    value: t.using('value', 'isSecret', 'sealedValue', 'componentId').string({
      nullable: true,
      description:
        'The value. Null if the variable is a secret and the caller does not have the `developer` role in the team.',
      resolve: (variable, _, context) => variableValue(context, variable),
    }),
    isSecret: t.exposeBoolean('isSecret', {
      description:
        'Whether the value is a secret. Secrets are encrypted at rest and require the `developer` role to read.',
    }),
    isDerived: t.using('id').boolean({
      description:
        'Whether the variable is derived from a port that is open inside the cluster: its host or port number. A stored connection variable with the same name overrides it.',
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
