import { restName } from '../../graphql/schema/builder.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related } from '../../graphql/schema/related.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { componentGroupRef } from './model.ts';
import { visibleComponentGroup } from './reads.ts';

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
    application: related(t, 'applicationId', Application, {
      read: loadApplication,
      description: 'The application that the group belongs to.',
    }),
  }),
});
