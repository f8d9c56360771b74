import { restName } from '../../graphql/schema/builder.ts';
import { entity } from '../../graphql/schema/node.ts';
import { visibleEnterprise } from './reads.ts';

export const Enterprise = entity('Enterprise', 'Enterprise', {
  description: 'An enterprise: the organization that owns all users, teams and regions.',
  read: visibleEnterprise,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeID('id', { description: restName('The id of the enterprise.', 'enterprise_id') }),
    name: t.exposeString('name', { description: 'The unique name.' }),
    alias: t.exposeString('alias', { description: 'The display name.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
  }),
});
