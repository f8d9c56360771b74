import { entity } from '../../graphql/schema/node.ts';
import { loadEnterprise, visibleEnterprise } from './reads.ts';

export const Enterprise = entity('Enterprise', 'Enterprise', {
  description: 'An enterprise: the organization that owns all users, teams and regions.',
  read: visibleEnterprise,
  load: loadEnterprise,
  uid: 'The id of the enterprise. REST: `enterprise_id`.',
  exposes: {
    'name: String!': 'The unique name.',
    'alias: String!': 'The display name.',
    'createdAt: DateTime!': 'The creation time.',
  },
});
