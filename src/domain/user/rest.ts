import { z } from 'zod';
import type { Row } from '../../db/tables.ts';
import { named, pageAnswer, pageAt, paging } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { administrators } from './reads.ts';

const field = fieldsOf<Row<'User'>>();

const userInfo = view('UserInfo', 'A user.', {
  user_id: field(z.int(), 'The numeric id of the user.', 2, (user) => user.id),
  email: field(z.string(), 'The email address.', 'ingrid.solberg@trellis.example', (user) => user.email),
  nick_name: field(z.string(), 'The display name.', 'Ingrid Solberg', (user) => user.nickName),
  phone: field(z.string(), 'The phone number. Empty if there is none.', '', (user) => user.phone),
  is_active: field(
    z.boolean(),
    'Whether the user is active. The access tokens of an inactive user are rejected.',
    true,
    (user) => user.isActive,
  ),
  origion: field(
    z.string().nullable(),
    'The origin of the account: `bootstrap` for the first administrator, `identity_provider` for users who were created by their first sign-in. Null for accounts that were created through this API.',
    null,
    (user) => user.origin,
  ),
  create_time: field(
    z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    'The creation time of the account, in UTC, as `YYYY-MM-DD HH:MM:SS`.',
    '2026-01-31 12:00:00',
    (user) => user.createdAt.toISOString().slice(0, 19).replace('T', ' '),
  ),
  client_ip: field(
    z.string(),
    'The IP address from which an access token of the user was last used. Empty if unknown.',
    '',
    (user) => user.clientIp,
  ),
  enterprise_id: field(
    z.string(),
    'The id of the enterprise.',
    '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
    (user) => user.enterpriseId,
  ),
});

export const userRoutes: Route[] = [
  route('get /administrators', {
    operationId: 'listAdministrators',
    tag: 'Administrators',
    summary: 'List enterprise administrators',
    description: 'The administrators of the enterprise, sorted by id. Requires an enterprise administrator.',
    query: {
      eid: named(
        "The id of the enterprise. Defaults to the caller's.",
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
