import { referenceOf } from '../../graphql/schema/input.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related } from '../../graphql/schema/related.ts';
import { Application } from '../application/graphql.ts';
import { componentGroupRef } from './model.ts';
import { loadComponentGroup, visibleComponentGroup } from './reads.ts';

referenceOf(
  'ComponentGroupRef',
  componentGroupRef,
  'Identifies a group of components. Set exactly one field.',
);

export const ComponentGroup = entity('ComponentGroup', 'ComponentGroup', {
  description: 'A group of components that were installed together from one template.',
  read: visibleComponentGroup,
  load: loadComponentGroup,
  uid: 'The numeric id of the group. REST: `tenant_service_group_id`.',
  exposes: {
    'name: String!': 'The name of the template.',
    'templateId: String': 'The key of the template. Null if unknown. REST: `app_model_id`.',
    'templateVersion: String':
      'The installed version of the template. Null if unknown. REST: `current_version`.',
    'createdAt: DateTime!': 'The installation time.',
  },
  fields: (t) => ({
    application: related(t, 'applicationId', Application, 'The application that the group belongs to.'),
  }),
});
