import { refsOf, unique } from '../fixtures.ts';
import { type Refusal, refused, type World } from './world.ts';

const role = 'Keeper of ports';

/** A person who is in the team. */
async function memberOf({ trellis, place }: World) {
  const { userId, email } = await trellis.createMember(place.team.teamId, 'OWNER');
  return { userId, email };
}

const teamAndRegion = ({ place }: World) => [place.team.name, place.region.name];

/** Requests that fail because of a team, a region, a person or what a team has. */
export const placeRefusals: Refusal[] = [
  refused(
    'creates the team again',
    'createTeam',
    ({ place }) => ({ name: place.team.name }),
    ({ place }) => [place.team.name],
  ),
  refused(
    'creates the region again',
    'createRegion',
    ({ place: { region } }) => ({
      name: region.name,
      url: 'https://again.example:8443',
      websocketUrl: 'wss://again.example:6060',
      httpDomain: 'again.apps.example',
      tcpDomain: 'again.tcp.example',
    }),
    ({ place }) => [place.region.name],
  ),
  refused('opens the region again', 'openTeamRegion', ({ refs }) => refs, teamAndRegion),
  refused(
    'creates the application again',
    'createApplication',
    ({ refs }) => ({ ...refs, name: 'Corner shop' }),
    (world) => ['Corner shop', ...teamAndRegion(world)],
  ),
  refused(
    'gives an application the name of another',
    'updateApplication',
    ({ depot }) => ({ ...depot, name: 'Corner shop' }),
    (world) => ['Corner shop', ...teamAndRegion(world)],
  ),
  refused(
    'deletes a team that has applications',
    'deleteTeam',
    ({ refs }) => ({ team: refs.team }),
    ({ place }) => [place.team.name, 'Corner shop', 'Spare parts'],
  ),
  refused(
    'deletes a team that has one application',
    'deleteTeam',
    ({ quiet }) => ({ team: refsOf(quiet).team }),
    ({ quiet }) => [quiet.team.name, 'Second shop'],
  ),
  refused(
    'closes a region in which applications are',
    'closeTeamRegion',
    ({ refs }) => refs,
    (world) => ['Corner shop', ...teamAndRegion(world)],
  ),
  refused(
    'deletes a region that is open',
    'deleteRegion',
    ({ quiet }) => ({ region: refsOf(quiet).region }),
    ({ quiet }) => [quiet.region.name, quiet.team.name],
  ),
  refused(
    'creates an application in a region that is switched off',
    'createApplication',
    async ({ trellis, quiet }) => {
      const refs = refsOf(quiet);
      await trellis.succeed('updateRegion', { region: refs.region, status: 'DISABLED' }, '__typename');
      return { ...refs, name: 'Too late' };
    },
    ({ quiet }) => [quiet.region.name],
  ),
  refused(
    'imports a namespace where there are none',
    'importNamespace',
    async ({ trellis, quiet }) => {
      const refs = refsOf(quiet);
      await trellis.succeed('updateRegion', { region: refs.region, status: 'ENABLED' }, '__typename');
      return { ...refs, namespace: 'default', name: 'Imported' };
    },
    ({ quiet }) => [quiet.region.name],
  ),
  refused(
    'uses more than the quota',
    'createComponent',
    async ({ trellis, refs, depot }) => {
      await trellis.succeed('setTeamQuota', { ...refs, memoryQuotaMiB: 2_048 }, '__typename');
      return { ...depot, name: 'Too large', image: 'nginx:1', memoryMiB: 65_536, deploy: true };
    },
    teamAndRegion,
  ),
  refused(
    'may only look',
    'createApplication',
    ({ refs }) => ({ ...refs, name: 'Not mine' }),
    ({ place }) => [place.team.name],
    ({ viewer }) => viewer.token,
  ),
  refused(
    'creates a user with the address of another',
    'createUser',
    ({ viewer }) => ({ email: viewer.email, nickName: 'Again' }),
    ({ viewer }) => [viewer.email],
  ),
  refused(
    'adds a member again',
    'addTeamMember',
    ({ refs, viewer }) => ({ team: refs.team, user: { userId: viewer.userId }, role: 'VIEWER' }),
    ({ viewer, place }) => [viewer.email, place.team.name],
  ),
  refused(
    'removes the last owner',
    'removeTeamMember',
    async (world) => {
      const { trellis } = world;
      const team = await trellis.createTeam('lonely');
      const { user } = await trellis.data('{ viewer { user { uid } } }').then(({ viewer }) => viewer);
      return { team: { teamId: team.teamId }, user: { userId: user.uid } };
    },
    () => ['lonely'],
  ),
  refused(
    'deletes a role that somebody has',
    'deleteRole',
    async (world) => {
      const { trellis, refs } = world;
      await trellis.succeed('createRole', { name: role, actions: ['ADD_PORT'] }, '__typename');
      const { userId } = await memberOf(world);
      const change = { team: refs.team, user: { userId }, customRole: { name: role } };
      await trellis.succeed('changeTeamMemberRole', change, '__typename');
      return { role: { name: role } };
    },
    ({ place }) => [role, place.team.name],
  ),
  refused(
    'creates a role again',
    'createRole',
    () => ({ name: role, actions: ['ADD_PORT'] }),
    () => [role],
  ),
  refused(
    'creates a service account again',
    'createServiceAccount',
    async ({ trellis, refs }) => {
      const input = { team: refs.team, name: 'Pipeline', role: 'DEVELOPER' };
      await trellis.succeed('createServiceAccount', input, '__typename');
      return input;
    },
    ({ place }) => ['Pipeline', place.team.name],
  ),
  refused(
    'adds a credential for the same registry',
    'createRegistryCredential',
    ({ refs }) => ({ team: refs.team, host: 'registry.example.com', username: 'c', password: 'd' }),
    ({ place }) => ['registry.example.com', place.team.name],
  ),
  refused(
    'deletes a credential that is in use',
    'deleteRegistryCredential',
    ({ credential }) => credential,
    () => ['registry.example.com', 'Front end'],
  ),
  refused(
    'copies an application to a name that is taken',
    'copyApplication',
    ({ shop }) => ({ ...shop, name: 'Spare parts' }),
    (world) => ['Spare parts', ...teamAndRegion(world)],
  ),
  refused(
    'copies snapshots to another region',
    'copyApplication',
    ({ shop, lost }) => ({ ...shop, ...refsOf(lost), name: unique('copy'), volumes: 'FROM_SNAPSHOT' }),
    ({ place }) => [place.region.name],
  ),
];
