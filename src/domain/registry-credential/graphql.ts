import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { Team } from '../team/graphql.ts';
import { loadTeam } from '../team/reads.ts';
import {
  createRegistryCredential,
  deleteRegistryCredential,
  registryCredentialRef,
  updateRegistryCredential,
} from './model.ts';
import * as operations from './operations.ts';
import {
  registryCredentialsOf,
  requireAdministratorOf,
  requireRegistryCredential,
  visibleRegistryCredential,
} from './reads.ts';

referenceOf(
  'RegistryCredentialRef',
  registryCredentialRef,
  'Identifies a registry credential. Set exactly one field.',
);

const RegistryCredential = entity('RegistryCredential', 'RegistryCredential', {
  description:
    'The username and password for a registry of images, of a team or of all teams of an enterprise. A component uses the credential for the host of its image: that of its team, or else that of all teams. The password cannot be read.',
  read: visibleRegistryCredential,
  uid: 'The numeric id of the registry credential. Use it as `credentialId` in references.',
  exposes: {
    'host: String!':
      'The host of the registry, in lower case and with its port if it has one. Unique in the team, or among the credentials of all teams.',
    'username: String!': 'The username.',
    'createdAt: DateTime!': 'The time at which the credential was created.',
  },
  fields: (t) => ({
    team: relatedOrNull(
      t,
      'teamId',
      Team,
      'The team whose components use the credential. Null if the components of all teams do.',
      loadTeam,
    ),
  }),
});

lookup('registryCredential', RegistryCredential, {
  ref: registryCredentialRef,
  read: requireRegistryCredential,
});

addList(Team, 'registryCredentials', RegistryCredential, {
  description:
    'The registry credentials of the team, sorted by host. Those of all teams are at `Enterprise.registryCredentials`.',
  list: (team, _, context) => registryCredentialsOf(context, team.id),
});

addList(Enterprise, 'registryCredentials', RegistryCredential, {
  nullable: true,
  description:
    'The registry credentials of all teams, sorted by host. Visible to enterprise administrators; null with a FORBIDDEN error for other callers.',
  list: (enterprise, _, context) => {
    requireAdministratorOf(context, { enterpriseId: enterprise.id });
    return registryCredentialsOf(context, enterprise.id);
  },
});

mutation('createRegistryCredential', createRegistryCredential, operations.createRegistryCredential, {
  description:
    'Creates a registry credential. Components with an image of the registry use it from their next deploy.',
  orElse: 'an enterprise administrator for a credential of all teams',
  returns: { credential: property(RegistryCredential, 'The new credential.') },
});

mutation('updateRegistryCredential', updateRegistryCredential, operations.updateRegistryCredential, {
  description:
    'Changes the username or the password of a registry credential. Clusters get the new values immediately, and instances keep running. Idempotent.',
  orElse: 'an enterprise administrator for a credential of all teams',
  returns: { credential: property(RegistryCredential, 'The changed credential.') },
});

mutation('deleteRegistryCredential', deleteRegistryCredential, operations.deleteRegistryCredential, {
  description:
    'Deletes a registry credential. Fails with CONFLICT while components use it, unless `force` is set; deployed components are then applied again without it.',
  orElse: 'an enterprise administrator for a credential of all teams',
  load: async (context, { credential, plan }) => ({
    credential,
    plan,
    team: credential.teamId === null ? null : await loadTeam(context, credential.teamId),
  }),
  payload: {
    credential: property(RegistryCredential, 'The deleted credential.'),
    team: propertyOrNull(
      Team,
      'The team that the credential belonged to. Null if it was a credential of all teams.',
    ),
  },
});
