/** The fourth table: what large changes take, and for how long they keep other requests from being answered. */
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { answerTemplates, startStoreServer, storeKey } from '../support/store-server.ts';
import { ringTemplate } from '../support/templates.ts';
import { ask, type Contestant, contestants, startContestant, withToken } from './contestants.ts';
import { type Databases, fill } from './data.ts';
import { median } from './load.ts';
import type { Options } from './options.ts';
import { cpuOf, type Running, statementsOf } from './processes.ts';
import { type Column, columns, say, section } from './report.ts';

interface Template {
  components: number;
  variables: number;
  /** Applications that are upgraded at once. */
  applications: number;
  /** What is measured in addition to the install and the upgrade. */
  also?: 'changes' | 'copies';
}

const templates: Template[] = [
  { components: 64, variables: 10, applications: 1, also: 'changes' },
  { components: 200, variables: 12, applications: 1, also: 'copies' },
  { components: 500, variables: 20, applications: 1 },
  { components: 20, variables: 5, applications: 40 },
];

/** How often the first template is used before anything is measured, so that the code is compiled. */
const warmUps = 6;

const versions = ['1.0.0', '2.0.0'] as const;
const monitor = fileURLToPath(new URL('delay.mjs', import.meta.url));

interface Line {
  name: string;
  work: string;
  /** Milliseconds, one of each round: of time, of the server's processor. */
  took: number[];
  cpu: number[];
  blocked: number[];
  statements: number[];
}

export async function measureBlocks(databases: Databases, options: Options): Promise<string> {
  const asked = contestants.filter(
    ({ key, kind }) => kind === 'trellis' && options.contestants.includes(key),
  );
  const rounds = Math.min(options.rounds, 3);
  const applications = warmUps + rounds * templates.reduce((sum, each) => sum + each.applications, 0);
  const lines: Line[] = [];
  for (const contestant of asked) {
    const url =
      contestant.database === 'postgres'
        ? await databases.createDatabase('blocks')
        : `file:${databases.folder}/blocks.db`;
    const dataset = await fill(url, { teams: 1, applications, components: 1, ports: 1 });
    const delayFile = `${databases.folder}/delay`;
    const metricsPort = await freePort();
    const running = await startContestant(
      monitored(contestant, metricsPort),
      {
        ...dataset,
        settings: {
          ...dataset.settings,
          STORE_ALLOW_PRIVATE: 'true',
          LIMIT_CHANGE_OBJECTS: '20000',
          DELAY_FILE: delayFile,
        },
      },
      options.trellis,
    );
    const mutate = mutationsOf(running, dataset.token);
    const own = new Map<string, Line>();
    const measure = async (work: string, change: () => Promise<unknown>) => {
      const line = own.get(work) ?? {
        name: contestant.name,
        work,
        took: [],
        cpu: [],
        blocked: [],
        statements: [],
      };
      own.set(work, line);
      const sent = await statementsOf(metricsPort);
      await longestBlock(running, delayFile);
      const [started, cpu] = [performance.now(), cpuOf(running.pid)];
      await change();
      line.took.push(performance.now() - started);
      line.cpu.push((cpuOf(running.pid) - cpu) * 1000);
      line.blocked.push(await longestBlock(running, delayFile));
      line.statements.push((await statementsOf(metricsPort)) - sent);
    };
    let appId = 1;
    for (let round = -warmUps; round < rounds; round++) {
      if (round === 0) own.clear();
      for (const template of round < 0 ? templates.slice(0, 1) : templates) {
        say(`blocks: ${contestant.name}, round ${round + 1} of ${rounds}, ${workOf(template)}`);
        const store = await startStore(template);
        const ids = Array.from({ length: template.applications }, () => appId++);
        for (const kind of ['install', 'upgrade'] as const) {
          await measure(`${kind} ${workOf(template)}`, () =>
            Promise.all(ids.map((id) => mutate[kind](id, store))),
          );
        }
        await store.server.close();
        const [firstId] = ids as [number];
        if (template.also === 'copies') {
          const copy = { application: { appId: firstId }, name: `Copied ${round}`, deploy: true };
          const copied = `copy of ${workOf(template)}`;
          await measure(`plan a ${copied}`, () => mutate.copy({ ...copy, dryRun: true }));
          await measure(`make and deploy a ${copied}`, () => mutate.copy(copy));
        }
        if (template.also !== 'changes') continue;
        await measure(`deploy ${template.components} components`, () => mutate.deploy(firstId));
        const componentId = await mutate.firstComponentOf(firstId);
        await measure('set 100 variables of a component', () => mutate.setVariables(componentId));
        const file = await mutate.manifestOf(firstId, `Copy ${round}`);
        const changed = { ...file, document: file.document.replaceAll(':2.0.0', ':3.0.0') };
        // A text that was read within the last minute is not parsed again.
        const unchanged = { ...file, document: `${file.document}# ${round}\n` };
        const manifest = `manifest of ${workOf(template)}`;
        await measure(`plan a new ${manifest}`, () => mutate.plan(file));
        await measure(`apply a new ${manifest}`, () => mutate.apply(file));
        await measure(`plan an unchanged ${manifest}`, () => mutate.plan(unchanged));
        await measure(`plan a changed ${manifest}`, () => mutate.plan(changed));
        await measure(`apply a changed ${manifest}`, () => mutate.apply(changed));
      }
    }
    lines.push(...own.values());
    await running.stop();
  }
  const table = tableOf(lines, options);
  say('');
  process.stdout.write(`${table}\n`);
  return table;
}

const workOf = ({ components, variables, applications }: Template) =>
  `${components} components × ${variables} variables${applications > 1 ? `, ${applications} at once` : ''}`;

const monitored = (contestant: Contestant, metricsPort: number): Contestant => ({
  ...contestant,
  env: { ...contestant.env, METRICS_PORT: String(metricsPort) },
  command: (trellis) => {
    const [node, ...args] = contestant.command(trellis);
    return [node, '--import', monitor, ...args];
  },
});

/** A store with one template in two versions that differ in every component and variable. */
async function startStore({ components, variables }: Template) {
  const edit = (value: string) => (app: { service_env_map_list: object[] }) => {
    for (let index = 1; index < variables; index++) {
      app.service_env_map_list.push({ attr_name: `V${index}`, attr_value: value });
    }
  };
  const one = ringTemplate(components, { version: versions[0], edit: edit('old') });
  const two = ringTemplate(components, { version: versions[1], key: one.key, edit: edit('new') });
  const entry = {
    appKeyID: one.key,
    name: 'Ring',
    versions: versions.map((version) => ({ appVersion: version })),
  };
  const texts = new Map([one, two].map(({ version, text }) => [version, text]));
  const server = await startStoreServer(answerTemplates(new Map([[one.key, { entry, templates: texts }]])));
  return { server, key: one.key };
}

type Store = Awaited<ReturnType<typeof startStore>>;

interface Manifest {
  team: { teamId: string };
  region: { regionId: string };
  document: string;
}

function mutationsOf({ port }: Running, token: string) {
  const post = async (query: string, variables: object = {}) => {
    const body = { query, variables };
    for (;;) {
      const text = await ask(port, withToken({ method: 'POST', path: '/graphql', body }, token));
      const { data, errors } = JSON.parse(text);
      if (data) return data;
      // A gateway on a slow machine refuses some of many changes that wait for each other. Clients send them again.
      if (errors[0]?.extensions?.code !== 'UNAVAILABLE') throw new Error(`blocks: ${text}`);
      await sleep(100);
    }
  };
  const mutate = async (name: string, input: object) => {
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    const query = `mutation M($input: ${title}Input!) { ${name}(input: $input) { __typename ... on Error { message } } }`;
    const data = await post(query, { input });
    if (data[name].__typename !== `${title}Payload`) throw new Error(`blocks: ${JSON.stringify(data)}`);
  };
  return {
    copy: (input: object) => mutate('copyApplication', input),
    deploy: (appId: number) => mutate('deployApplication', { application: { appId } }),
    async firstComponentOf(appId: number): Promise<string> {
      const query = `{ application(by: { appId: ${appId} }) { components(first: 1) { nodes { uid } } } }`;
      return (await post(query)).application.components.nodes[0].uid;
    },
    /** The application as that of another name. */
    async manifestOf(appId: number, name: string): Promise<Manifest> {
      const { application } = await post(
        `{ application(by: { appId: ${appId} }) { team { teamId: uid } region { regionId: uid } manifest { document } } }`,
      );
      const { team, region, manifest } = application;
      const document = manifest.document
        .replace(/^application: .*$/m, `application: ${name}`)
        .replaceAll(/^ {4}(alias|serviceName|clusterName): .*\n/gm, '');
      return { team, region, document };
    },
    apply: (manifest: Manifest) => mutate('applyManifest', manifest),
    plan: (manifest: Manifest) =>
      post(
        `query P($team: TeamRef!, $region: RegionRef!, $document: String!) {
          planManifest(team: $team, region: $region, document: $document) {
            digest changes { action object component name fields { field before after } isDestructive }
          }
        }`,
        manifest,
      ),
    setVariables: (componentId: string) =>
      mutate('setVariables', {
        component: { componentId },
        set: Array.from({ length: 100 }, (_, index) => ({ name: `SET_${index}`, value: `value ${index}` })),
      }),
    install: (appId: number, { server, key }: Store) =>
      mutate('installApplication', {
        application: { appId },
        store: { url: server.url, domain: server.url, accessKey: storeKey },
        templateId: key,
        version: versions[0],
      }),
    upgrade: (appId: number, { server, key }: Store) =>
      mutate('upgradeApplication', {
        application: { appId },
        upgrades: [{ storeName: server.url, templateId: key, version: versions[1] }],
      }),
  };
}

/** Milliseconds for which the event loop was blocked at most since the last call. */
async function longestBlock({ pid }: Running, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await sleep(5);
    try {
      const text = readFileSync(file, 'utf8');
      if (text) return Number(text);
    } catch {
      // Not written yet.
    }
  }
}

function tableOf(lines: Line[], options: Options): string {
  const shown: Column<Line>[] = [
    ['', ({ name }) => name],
    ['work', ({ work }) => work],
    ['s, all of it', ({ took }) => (median(took) / 1000).toFixed(2)],
    ['CPU ms', ({ cpu }) => median(cpu).toFixed(0)],
    ['ms, longest block', ({ blocked }) => median(blocked).toFixed(0)],
    ['statements', ({ statements }) => median(statements).toFixed(0)],
  ];
  const heading =
    '## Large changes\n\n(k), (l), (o): what installs, upgrades and manifests of large applications take, and for how long they keep other requests waiting:';
  return section(heading, columns(shown, lines), options);
}
