import { property } from '../../../graphql/schema/exposed.ts';
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
  revision: 'A derived variable has the revision of its port.',
  exposes: {
    'name: String!': 'The unique name in the component and scope.',
    'label: String!': 'The display name.',
    'isSecret: Boolean!':
      'Whether the value is a secret. Secrets are encrypted at rest and require the `developer` role to read.',
    'isChangeable: Boolean!':
      'Whether users can change the value. True for a derived variable, which can be overridden even if its template says otherwise.',
    'portNumber: Int':
      'The number of the port that a connection variable describes. Null if the variable does not describe a port.',
    scope: property(VariableScope, 'The components that receive the variable.'),
  },
  fields: (t) => ({
    value: t.using('value', 'isSecret', 'sealedValue', 'componentId').string({
      nullable: true,
      description:
        'The value. Null if the variable is a secret and the caller does not have the `developer` role in the team.',
      resolve: (variable, _, context) => variableValue(context, variable),
    }),
    isDerived: t.using('id').boolean({
      description:
        'Whether the variable is derived from a port that is open inside the cluster: its host or port number. A stored connection variable with the same name overrides it.',
      resolve: isDerived,
    }),
  }),
});
