import { beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { useDriver } from '../../support/deploys.ts';
import { unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 0 })], jobs: {} });

const names = { web: 'Front end', db: 'Data base', idle: 'Left alone' };
type Name = keyof typeof names;
/** What no message may contain, of all components: their aliases, names in the cluster, and ids. */
const hidden: string[] = [];
const refs = {} as Record<Name, { component: { componentId: string } }>;
let declared: { component: { componentId: string } };
let teamId: string;

async function create(appId: number, name: string, options: object = {}) {
  const input = { application: { appId }, name, alias: unique('gr'), image: 'registry.example.com/a/b:1' };
  const made = await trellis.succeed(
    'createComponent',
    { ...input, ...options },
    'component { uid alias clusterName }',
  );
  const { uid, alias, clusterName } = made.component;
  hidden.push(uid, alias, clusterName);
  return { component: { componentId: uid as string } };
}

beforeAll(async () => {
  const place = await trellis.createPlace();
  teamId = place.team.teamId;
  await useDriver(trellis, place.region.regionId, 'simulated');
  const { appId } = await trellis.createApplication(place, unique('Shop'));
  refs.db = await create(appId, names.db, { deploy: true });
  refs.web = await create(appId, names.web, { deploy: true });
  refs.idle = await create(appId, names.idle);
  const other = await trellis.createPlace();
  const elsewhere = await trellis.createApplication(other, unique('Shop'));
  declared = await create(elsewhere.appId, names.web, { deploy: true });
  const { web, db } = refs;
  const depending = { component: web.component, dependency: db.component };
  await trellis.succeed('addDependency', depending, '__typename');
  await trellis.succeed('addPort', { ...web, number: 8080, protocol: 'HTTP' }, '__typename');
  const data = { ...db, name: 'data', path: '/data', type: 'share-file' };
  await trellis.succeed('addVolume', data, '__typename');
  await trellis.succeed(
    'createSchedule',
    { ...web, name: 'nightly', command: ['true'], cron: '0 3 * * *' },
    '__typename',
  );
  await trellis.succeed(
    'setAutoscaling',
    { ...web, minReplicas: 1, maxReplicas: 3, cpuPercent: 50 },
    '__typename',
  );
  const host = 'registry.example.com';
  await trellis.succeed(
    'createRegistryCredential',
    { team: { teamId }, host, username: 'a', password: 'b' },
    '__typename',
  );
});

/** Changes that fail because of a component, by what they are, with the names that their messages have. */
const refused: [string, string, () => object, Name[]][] = [
  ['starts what runs', 'startComponent', () => refs.web, ['web']],
  ['restarts what was never deployed', 'restartComponent', () => refs.idle, ['idle']],
  ['stops what others depend on', 'stopComponent', () => refs.db, ['db', 'web']],
  ['deletes what runs', 'deleteComponent', () => refs.web, ['web']],
  ['deletes what others depend on', 'deleteComponent', () => ({ ...refs.db, force: false }), ['db']],
  ['adds a second port', 'addPort', () => ({ ...refs.web, number: 8080, protocol: 'HTTP' }), ['web']],
  [
    'adds a volume of the same name',
    'addVolume',
    () => ({ ...refs.db, name: 'data', path: '/b', type: 'local' }),
    ['db'],
  ],
  [
    'adds a volume at the same path',
    'addVolume',
    () => ({ ...refs.db, name: 'b', path: '/data', type: 'local' }),
    ['db'],
  ],
  [
    'adds a schedule of the same name',
    'createSchedule',
    () => ({ ...refs.web, name: 'nightly', command: ['true'], cron: '0 3 * * *' }),
    ['web'],
  ],
  [
    'runs a command in what was never deployed',
    'runComponent',
    () => ({ ...refs.idle, command: ['true'] }),
    ['idle'],
  ],
  ['runs a command without a cluster', 'runComponent', () => ({ ...declared, command: ['true'] }), ['web']],
  ['creates a hook where hooks are off', 'createDeployHook', () => refs.web, ['web']],
  ['scales what its load scales', 'scaleComponent', () => ({ ...refs.web, replicas: 2 }), ['web']],
  [
    'changes how instances are deployed',
    'updateComponent',
    () => ({ ...refs.web, extendMethod: 'STATE' }),
    ['web'],
  ],
];

describe('messages about components', () => {
  it.each(refused)('have names where a change %s', async (_, mutation, input, about) => {
    const { message, code } = await trellis.attempt(mutation, input());
    expect(code).toBe('CONFLICT');
    for (const name of about) expect(message).toContain(names[name]);
    for (const text of hidden) expect(message).not.toContain(text);
  });
});
