import { maxVolumes } from '../../../src/domain/component/model.ts';
import { maxSnapshots } from '../../../src/domain/component/snapshots/model.ts';
import { maxDeployHooks } from '../../../src/domain/deploy-hook/model.ts';
import { maxUnfinished } from '../../../src/domain/run/model.ts';
import { maxSchedules } from '../../../src/domain/run/schedules/model.ts';
import { maxGroupRoles } from '../../../src/domain/team/groups/model.ts';
import { maxTrusts } from '../../../src/domain/trust/model.ts';
import { type Refusal, refused, volumeAt, type World } from './world.ts';

/** One more than there may be: makes as many as are allowed, and fails with the next. */
const oneTooMany = (
  title: string,
  mutation: string,
  most: number,
  inputOf: (world: World, index: number) => object | Promise<object>,
  names: (world: World) => string[],
): Refusal =>
  refused(
    title,
    mutation,
    async (world) => {
      for (let index = 0; index < most; index++) {
        await world.trellis.attempt(mutation, await inputOf(world, index), '__typename');
      }
      return inputOf(world, most);
    },
    names,
  );

const command = ['true'];

/** Requests that fail because an object has as much as it can have. */
export const limitRefusals: Refusal[] = [
  oneTooMany(
    'adds a schedule',
    'createSchedule',
    maxSchedules,
    ({ idle }, index) => ({ ...idle, name: `at-${index}`, command, cron: '0 3 * * *' }),
    () => ['Left alone'],
  ),
  oneTooMany(
    'adds a volume',
    'addVolume',
    maxVolumes,
    ({ idle }, index) => ({ ...idle, name: `v-${index}`, path: `/v-${index}`, type: 'local' }),
    () => ['Left alone'],
  ),
  oneTooMany(
    'saves a volume',
    'createVolumeSnapshot',
    maxSnapshots,
    ({ db }, index) => ({ ...volumeAt(db, 'disk'), name: `s-${index}` }),
    () => ['disk'],
  ),
  oneTooMany(
    'runs a command',
    'runComponent',
    maxUnfinished,
    ({ db }) => ({ ...db, command }),
    () => ['Data base'],
  ),
  oneTooMany(
    'gives a group a role',
    'setGroupRole',
    maxGroupRoles,
    ({ refs }, index) => ({ team: refs.team, group: `group-${index}`, role: 'VIEWER' }),
    ({ place }) => [place.team.name],
  ),
  refused(
    'adds a deploy hook',
    'createDeployHook',
    async ({ trellis, idle }) => {
      await trellis.succeed('updateComponent', { ...idle, opensWebhooks: true }, '__typename');
      for (let index = 0; index < maxDeployHooks; index++) {
        await trellis.succeed('createDeployHook', idle, '__typename');
      }
      return idle;
    },
    () => ['Left alone'],
  ),
  refused(
    'trusts an issuer',
    'addTrust',
    async ({ trellis, refs }) => {
      const account = { team: refs.team, name: 'Trusting', role: 'VIEWER' };
      const made = await trellis.succeed('createServiceAccount', account, 'serviceAccount { id }');
      const serviceAccount = { id: made.serviceAccount.id };
      const audience = 'https://trellis.example';
      const trust = {
        audience,
        serviceAccount,
        issuer: 'https://issuer.example',
        claims: [{ name: 'sub', pattern: 'a' }],
      };
      for (let index = 0; index < maxTrusts; index++) await trellis.succeed('addTrust', trust, '__typename');
      return trust;
    },
    () => ['Trusting'],
  ),
];
