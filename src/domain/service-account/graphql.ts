import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { builder, type Types } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related } from '../../graphql/schema/related.ts';
import { Team } from '../team/graphql.ts';
import { User, Viewer } from '../user/graphql.ts';
import {
  createServiceAccount,
  deleteServiceAccount,
  serviceAccountRef,
  serviceAccountRole,
  updateServiceAccount,
} from './model.ts';
import * as operations from './operations.ts';
import { serviceAccountById, serviceAccountsOf, visibleCaller, visibleServiceAccount } from './reads.ts';

referenceOf('ServiceAccountRef', serviceAccountRef, 'Identifies a service account. Set exactly one field.');

const ServiceAccountRole = enumOf(
  'ServiceAccountRole',
  serviceAccountRole,
  'The role of a service account in its team. In the order VIEWER, DEVELOPER, ADMIN, each role includes the rights of the roles before it.',
  {
    viewer: 'All read operations.',
    developer:
      'Can also change applications, components, ports and gateway rules, and install and upgrade templates.',
    admin: 'Can also change the members, service accounts and regions of the team.',
  },
);

export const ServiceAccount = entity('ServiceAccount', 'ServiceAccount', {
  description:
    'An account for a machine that acts in a team, such as a pipeline. Its access tokens work while it exists, even if their creator leaves the team.',
  read: visibleServiceAccount,
  uid: 'The id of the service account. Use it as `serviceAccountId` in references.',
  exposes: {
    'name: String!': 'The unique name in the team.',
    'createdAt: DateTime!': 'The creation time.',
    role: property(ServiceAccountRole, 'The role of the service account in the team.'),
  },
  fields: (t) => ({
    team: related(t, 'teamId', Team, 'The team that the service account belongs to.'),
  }),
});

/** Who can make a change. */
const Caller = builder.unionType('Caller', {
  description: 'A user or a service account.',
  types: [User, ServiceAccount],
  resolveType: (row: Row<'User'> | Row<'ServiceAccount'>) => ('email' in row ? 'User' : 'ServiceAccount'),
});

type Made = Pick<Row<'Event'>, 'userId' | 'serviceAccountId'>;

/** A field with who made the object. */
export const callerField = <R extends Made>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, R>,
  description: string,
) =>
  t.using('userId', 'serviceAccountId').field({
    type: Caller,
    nullable: true,
    description,
    resolve: ((row: Made, _: unknown, context: Context) => visibleCaller(context, row)) as never,
  });

addList(Team, 'serviceAccounts', ServiceAccount, {
  description: 'The service accounts of the team, sorted by name.',
  list: (team, _, context) => serviceAccountsOf(context, team.id),
});

builder.objectField(Viewer, 'serviceAccount', (t) =>
  t.field({
    type: ServiceAccount,
    nullable: true,
    description: 'The service account that the access token belongs to. Null if it belongs to a user.',
    resolve: (_, __, context) =>
      context.actor.serviceAccountId === null
        ? null
        : serviceAccountById(context, context.actor.serviceAccountId),
  }),
);

mutation('createServiceAccount', createServiceAccount, operations.createServiceAccount, {
  description: 'Creates a service account. A team can have at most 100.',
  returns: { serviceAccount: property(ServiceAccount, 'The new service account.') },
});

mutation('updateServiceAccount', updateServiceAccount, operations.updateServiceAccount, {
  description: 'Changes a service account. A new role applies to its access tokens immediately.',
  returns: { serviceAccount: property(ServiceAccount, 'The changed service account.') },
});

mutation('deleteServiceAccount', deleteServiceAccount, operations.deleteServiceAccount, {
  description:
    'Deletes a service account and its trusts. Its access tokens stop working immediately. Webhooks whose documents run with its rights are deleted as well.',
  payload: { serviceAccount: property(ServiceAccount, 'The deleted service account.') },
});
