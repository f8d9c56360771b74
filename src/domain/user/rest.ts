import { z } from 'zod';
import type { Row } from '../../db/tables.ts';
import { named, pageAnswer, pageAt, paging } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { administrators } from './reads.ts';

const field = fieldsOf<Row<'User'>>();

const userInfo = view('UserInfo', 'A user.', {
  user_id: field(z.int(), 'Number of the user.', 2, (user) => user.id),
  email: field(z.string(), 'E-mail address.', 'ingrid.solberg@trellis.example', (user) => user.email),
  nick_name: field(z.string(), 'Name shown to people.', 'Ingrid Solberg', (user) => user.nickName),
  phone: field(z.string(), 'Phone number; empty for none.', '', (user) => user.phone),
  is_active: field(
    z.boolean(),
    'Whether the tokens of the user are accepted.',
    true,
    (user) => user.isActive,
  ),
  origion: field(z.string().nullable(), 'Where the account came from.', null, (user) => user.origin),
  create_time: field(
    z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    'When the account was made, `YYYY-MM-DD HH:MM:SS` in UTC.',
    '2026-01-31 12:00:00',
    (user) => user.createdAt.toISOString().slice(0, 19).replace('T', ' '),
  ),
  client_ip: field(
    z.string(),
    'Address from which the account was made; empty when it is not known.',
    '',
    (user) => user.clientIp,
  ),
  enterprise_id: field(
    z.string(),
    'Id of the enterprise.',
    '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
    (user) => user.enterpriseId,
  ),
});

export const userRoutes: Route[] = [
  route('get /administrators', {
    operationId: 'listAdministrators',
    tag: 'Administrators',
    summary: 'List enterprise administrators',
    description: 'The administrators of the enterprise, by number. For administrators.',
    query: {
      eid: named(
        'Id of the enterprise; the own one when left out.',
        '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      ).optional(),
      ...paging,
    },
    answer: pageAnswer('ListUsersRespView', 'users', 'users', userInfo.schema),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    run: async (context, { query }) => {
      const { rows, total } = await pageAt(context, administrators(context, query.eid), query);
      return { users: await userInfo.all(context, rows), total };
    },
  }),
];
