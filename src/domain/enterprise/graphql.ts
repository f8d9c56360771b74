import { restName } from '../../graphql/schema/builder.ts';
import { entity } from '../../graphql/schema/node.ts';
import { visibleEnterprise } from './reads.ts';

export const Enterprise = entity('Enterprise', 'Enterprise', {
  description: 'The organisation that everything belongs to.',
  read: visibleEnterprise,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeID('id', { description: restName('Identifier of the enterprise.', 'enterprise_id') }),
    name: t.exposeString('name', { description: 'Unique name.' }),
    alias: t.exposeString('alias', { description: 'Name shown to people.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});
