import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { recordingDriver } from './jobs.ts';
import { startTrellis } from './trellis.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const clientsFolder = join(root, 'test/clients');

/**
 * A module in test/clients that imports a package of that folder. Only the long lane installs these packages, so the
 * compiler checks such a module there, and not with the tests.
 */
export const clientModule = (path: string): Promise<any> => import(join(clientsFolder, path));

/** The examples that are written by hand, as paths below the folder. */
export const exampleFiles = ['', 'relay/'].flatMap((path) =>
  readdirSync(join(clientsFolder, path))
    .filter((name) => /\.(tsx?|mjs|json|sh)$/.test(name) && !/^package(-lock)?\.json$/.test(name))
    .map((name) => path + name),
);

/** What generates code for the examples, as a reader enters it after `npx`. */
export const generators: [string, ...string[]][] = [
  ['relay-compiler', 'relay.config.json'],
  ['graphql-codegen', '--config', 'codegen.config.ts'],
  ['gql.tada', 'generate-output'],
  ['openapi-typescript', '../../openapi.json', '--output', 'generated/openapi.ts'],
];
/** Generates types from the document that a gateway serves. */
export const fromGateway = (url: string): [string, ...string[]] => [
  'openapi-typescript',
  `${url}/api/v1/openapi.json`,
  '--output',
  'generated/operations.ts',
];

/** Runs a program to its end in the folder of the examples. */
export const runForExamples = (program: string, args: string[], settings: Record<string, string> = {}) =>
  promisify(execFile)(program, args, { cwd: clientsFolder, env: { ...process.env, ...settings } });

/** What the compiler says about the examples of a project: nothing if all is well. */
export const typesOfExamples = (project: string): Promise<string> =>
  runForExamples(process.execPath, [join(root, 'node_modules/typescript-cli/bin/tsc'), '-p', project]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );

const variables = ['TRELLIS_URL', 'TRELLIS_TOKEN', 'COMPONENT_ID', 'APP_ID'] as const;

/** A gateway with the team that the examples read and change. They find it in the environment. */
export async function startForExamples() {
  const { driver } = recordingDriver('recording');
  const trellis = await startTrellis({ drivers: [driver], jobs: {} });
  const team = await trellis.createTeam('shop');
  const region = await trellis.createRegion({ name: 'eu-central' });
  await trellis.services.db.transaction((tx) =>
    tx.region.update({ where: { id: region.regionId }, data: { driver: driver.name } }),
  );
  const place = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
  await trellis.succeed('openTeamRegion', place, 'team { uid }');
  const names = ['Blog', 'Cart', 'Payments', 'Search', 'Shop'];
  let appId = 0;
  for (const name of names) ({ appId } = await trellis.createApplication({ team, region }, name));
  const { componentId } = await trellis.createComponent(appId);
  await trellis.addPort(componentId, 8080);
  const values = [trellis.url, trellis.adminToken, componentId, String(appId)];
  Object.assign(process.env, Object.fromEntries(variables.map((name, index) => [name, values[index]])));
  return {
    url: trellis.url,
    appId,
    async close() {
      for (const name of variables) delete process.env[name];
      await trellis.close();
    },
  };
}
