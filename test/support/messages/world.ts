import { useDriver } from '../deploys.ts';
import { type Place, refsOf, unique } from '../fixtures.ts';
import { identifyingIn } from '../named-messages.ts';
import type { Trellis } from '../trellis.ts';

/** A request that fails because of an object. */
export interface Refusal {
  /** What the caller tries. */
  title: string;
  /** The message of its error. */
  attempt(world: World): Promise<string>;
  /** What the message calls the objects. */
  names(world: World): string[];
}

type Given<T> = (world: World) => T | Promise<T>;

/** A change that fails. */
export const refused = (
  title: string,
  mutation: string,
  input: Given<object>,
  names: (world: World) => string[],
  token?: Given<string>,
): Refusal => ({
  title,
  names,
  async attempt(world) {
    const result = await world.trellis.attempt(
      mutation,
      await input(world),
      '__typename',
      await token?.(world),
    );
    if (result.message === undefined) throw new Error(`${title}: ${JSON.stringify(result)}`);
    return result.message;
  },
});

/** A read that fails. */
export const unread = (
  title: string,
  query: string,
  variables: Given<object>,
  names: (world: World) => string[],
): Refusal => ({
  title,
  names,
  async attempt(world) {
    const result = await world.trellis.graphql(query, await variables(world));
    if (!result.errors) throw new Error(`${title}: ${JSON.stringify(result)}`);
    return result.errors.map(({ message }) => message).join(' ');
  },
});

/** Ids start here, so that no number of a message is one by chance. */
const firstId = 700_000;

async function startIdsHigh({ services }: Trellis): Promise<void> {
  await services.db.transaction(async (tx) => {
    const run = (sql: string) => (tx as any).$executeRawUnsafe(sql) as Promise<number>;
    await run(
      `INSERT INTO sqlite_sequence (name, seq) SELECT name, ${firstId} FROM sqlite_master
       WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)`,
    );
    await run(`UPDATE sqlite_sequence SET seq = ${firstId}`);
  });
}

/** The ids and aliases that a message has. */
export const hiddenIn = (message: string): string[] => [
  ...identifyingIn(message),
  ...(message.match(/\b70\d{4}\b/g) ?? []),
];

type Ref = { component: { componentId: string } };
type App = { application: { appId: number } };

async function createIn(
  trellis: Trellis,
  { application }: App,
  name: string,
  options: object = {},
): Promise<Ref> {
  const input = { application, name, image: 'registry.example.com/a/b:1', ...options };
  const { component } = await trellis.succeed(
    'createComponent',
    input,
    'component { uid alias clusterName }',
  );
  if (!/^gr[0-9a-f]{6}$/.test(component.alias)) throw new Error(`${name} has the alias ${component.alias}`);
  return { component: { componentId: component.uid } };
}

async function createApp(trellis: Trellis, place: Place, name: string, options: object = {}): Promise<App> {
  const input = { ...refsOf(place), name, ...options };
  const { application } = await trellis.succeed('createApplication', input, 'application { uid }');
  return { application: { appId: application.uid } };
}

async function portOf(trellis: Trellis, ref: Ref, number: number, options: object = {}) {
  const { port } = await trellis.succeed(
    'addPort',
    { ...ref, number, protocol: 'HTTP', ...options },
    'port { id }',
  );
  return { port: { id: port.id as string } };
}

const disk = { name: 'disk', path: '/disk', type: 'local', accessMode: 'ReadWriteOnce' };
const scratch = { name: 'scratch', path: '/scratch', type: 'memoryfs' };
const data = { name: 'data', path: '/data', type: 'share-file' };

/** The applications of the team have one namespace, so that their names can meet. */
const together = { isolation: 'TEAM' };

/** Objects whose names, aliases and ids all differ. Requests fail because of each of them. */
export async function createWorld(trellis: Trellis) {
  await startIdsHigh(trellis);
  const place = await trellis.createPlace();
  const { team, region } = place;
  await useDriver(trellis, region.regionId, 'simulated');
  const refs = refsOf(place);
  const shop = await createApp(trellis, place, 'Corner shop', together);
  const depot = await createApp(trellis, place, 'Spare parts', together);
  const db = await createIn(trellis, shop, 'Data base', { deploy: true, volumes: [disk, scratch, data] });
  const variables = [{ name: 'FIXED', value: '1', isChangeable: false }];
  const web = await createIn(trellis, shop, 'Front end', { deploy: true, variables });
  const idle = await createIn(trellis, shop, 'Left alone');
  const lean = await createIn(trellis, depot, 'Needs nothing', { cpuMillicores: 0 });
  const taker = await trellis.createComponent(depot.application.appId, {
    name: 'Takes the alias',
    alias: 'taken-alias',
  });
  const taken = await portOf(trellis, { component: { componentId: taker.componentId } }, 80);
  await trellis.succeed(
    'changePortAlias',
    { ...taken, alias: 'TAKEN', serviceName: 'taken-service' },
    '__typename',
  );
  const main = await portOf(trellis, web, 8080, { alias: 'MAIN' });
  const rooted = await createIn(trellis, depot, 'Needs root', { needsRoot: true });
  await trellis.succeed('updateRegion', { region: refs.region, allowsRoot: false }, '__typename');
  const raw = await portOf(trellis, db, 5432, { protocol: 'TCP' });
  const succeed = (mutation: string, input: object) => trellis.succeed(mutation, input, '__typename');
  await succeed('addDependency', { ...web, dependency: db.component });
  await succeed('createSchedule', { ...web, name: 'nightly', command: ['true'], cron: '0 3 * * *' });
  await succeed('setAutoscaling', { ...web, minReplicas: 1, maxReplicas: 3, cpuPercent: 50 });
  await succeed('createVolumeSnapshot', { ...volumeAt(db, 'data'), name: 'before' });
  const host = 'registry.example.com';
  const credential = { team: refs.team, host, username: 'a', password: 'b' };
  const made = await trellis.succeed('createRegistryCredential', credential, 'credential { id }');

  // A region without a cluster, which is switched off once it has what it needs, and one whose cluster does not respond.
  const quiet = await trellis.createPlace();
  const second = await createApp(trellis, quiet, 'Second shop');
  const still = await createIn(trellis, second, 'Stands still', { deploy: true, volumes: [data] });
  const lost = await trellis.createPlace();
  const third = await createApp(trellis, lost, 'Third shop');
  const away = await createIn(trellis, third, 'Far away', { deploy: true, volumes: [data] });
  await useDriver(trellis, lost.region.regionId, 'lost');

  const viewer = await trellis.createMember(team.teamId, 'VIEWER');
  return {
    trellis,
    place,
    refs,
    quiet,
    lost,
    shop,
    depot,
    second,
    db,
    web,
    idle,
    lean,
    rooted,
    still,
    away,
    main,
    raw,
    credential: { credential: { id: made.credential.id as string } },
    viewer,
    /** A host name below a domain of our own. */
    domain: `${unique('shop')}.example.org`,
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

export const volumeAt = (component: Ref, name: string) => ({ volume: { at: { ...component, name } } });
