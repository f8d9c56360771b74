import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addPort,
  createApplication,
  createComponent,
  createRegion,
  createTeam,
  succeed,
} from '../support/fixtures.ts';
import { recordingDriver } from '../support/jobs.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'test/clients');
const run = promisify(execFile);
const program = (name: string, ...args: string[]) =>
  run(join(root, 'node_modules/.bin', name), args, { cwd: folder });

/** The examples that are written by hand, as paths below the folder. */
const files = (readdirSync(folder, { recursive: true }) as string[]).filter(
  (path) => /\.(tsx?|mjs|json|sh)$/.test(path) && !path.includes('generated'),
);
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const clients = [
  'fetch',
  'urql',
  'apollo',
  'relay/client',
  'codegen',
  'gql-tada',
  'graphql-request',
  'openapi-fetch',
  'all-operations',
];
const commands: [string, ...string[]][] = [
  ['relay-compiler', 'relay.config.json'],
  ['graphql-codegen', '--config', 'codegen.config.ts'],
  ['gql.tada', 'generate-output'],
  ['openapi-typescript', '../../openapi.json', '--output', 'generated/openapi.ts'],
];
/** Generates types from the document that a gateway serves. */
const fromGateway = (url: string): [string, ...string[]] => [
  'openapi-typescript',
  `${url}/api/v1/openapi.json`,
  '--output',
  'generated/operations.ts',
];

let trellis: Trellis;
let appId: number;
/** What the compiler says of the examples. It takes longest, and the other tests need not wait for it. */
let told: Promise<string>;

beforeAll(async () => {
  mkdirSync(join(folder, 'relay/generated'), { recursive: true });
  const generated = Promise.all([
    ...commands.map((command) => program(...command)),
    run(process.execPath, ['possible-types.mjs'], { cwd: folder }),
  ]);
  const { driver } = recordingDriver('recording');
  trellis = await startTrellis({ drivers: [driver], jobs: {} });
  const team = await createTeam(trellis, 'shop');
  const region = await createRegion(trellis, { name: 'eu-central' });
  await trellis.services.db.transaction((tx) =>
    tx.region.update({ where: { id: region.regionId }, data: { driver: driver.name } }),
  );
  const place = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
  await succeed(trellis, 'openTeamRegion', place, 'team { uid }');
  const names = ['Blog', 'Cart', 'Payments', 'Search', 'Shop'];
  for (const name of names) ({ appId } = await createApplication(trellis, { team, region }, name));
  const { componentId } = await createComponent(trellis, appId);
  await addPort(trellis, componentId, 8080);
  Object.assign(process.env, {
    TRELLIS_URL: trellis.url,
    TRELLIS_TOKEN: trellis.adminToken,
    COMPONENT_ID: componentId,
    APP_ID: String(appId),
  });
  await generated;
  await program(...fromGateway(trellis.url));
  told = program('tsc', '-p', 'tsconfig.json').then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
});
afterAll(async () => {
  for (const name of ['TRELLIS_URL', 'TRELLIS_TOKEN', 'COMPONENT_ID', 'APP_ID']) delete process.env[name];
  await trellis?.close();
});

describe('docs/clients.md', () => {
  it.each(files)('shows %s as it is', (file) => {
    const text = readFileSync(join(folder, file), 'utf8').trim();
    expect(page).toContain(`\`${file}\``);
    expect(page).toContain(`\n${text}\n\`\`\``);
  });

  it('shows nothing else, but commands that are run here', () => {
    const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => [
      language,
      text!.trim(),
    ]);
    const known = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    const others = blocks
      .filter(([, text]) => !known.includes(text!))
      .map(([, text]) => text!.replace(/ +#.*/, ''));
    expect(others.sort()).toEqual(
      [
        ...[...commands, fromGateway('$TRELLIS_URL')].map((command) => `npx ${command.join(' ')}`),
        'node possible-types.mjs',
      ].sort(),
    );
  });
});

describe('the examples', () => {
  it.each(clients)('%s', async (name) => {
    const example = await import(join(folder, `${name}.ts`));
    expect(example.applications).toEqual(['Blog', 'Cart', 'Payments', 'Search', 'Shop']);
    expect(example.opened).toMatchObject({ number: 8080, isOuter: true });
    expect(example.refused).toBe('NOT_FOUND');
  });

  it('curl.sh', async () => {
    const ask = (...args: string[]) =>
      run('sh', ['curl.sh', ...args], { cwd: folder }).catch((error) => error);
    expect((await ask('shop')).stdout).toBe('Blog\nCart\nPayments\nSearch\nShop\n');
    const refused = await ask('nowhere');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('NOT_FOUND: There is no such team.'),
    ]);
  });

  it('deploy-and-wait.sh', async () => {
    const deploy = (id: number) =>
      run('sh', ['deploy-and-wait.sh', String(id)], {
        cwd: folder,
        env: { ...process.env, INTERVAL: '0.1' },
      }).catch((error) => error);
    expect((await deploy(appId)).stdout).toBe('SUCCEEDED\n');
    const refused = await deploy(4_711);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('NOT_FOUND: There is no such application.'),
    ]);
  });

  it('have the types of the schema', async () => {
    expect(await told).toBe('');
  });
});
