import { allNodes, ask, change, type Page } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { follow } from '../follow.ts';
import { applicationNamed, componentNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { printLeftStopped } from '../plan.ts';
import { plain, print, printJson } from '../show.ts';

interface Outcome {
  job: { uid: number; status: string } | null;
}

async function finish(
  context: Context,
  at: Connection,
  result: Outcome,
  done: string,
  options: CommonOptions,
): Promise<void> {
  if (!options.json) print(context, done);
  if (result.job && options.wait !== false) await follow(context, at, result.job.uid);
  if (options.json) printJson(context, result);
}

const jobSelection = 'job { uid status }';

export interface DeployOptions extends CommonOptions {
  startStopped?: boolean;
}

/** Deploys an application, or one component of it. A component that is named is deployed in any state. */
export async function deploy(context: Context, path: string, options: DeployOptions): Promise<void> {
  const at = await connection(context);
  if (path.includes('/')) return move('deploy')(context, path, options);
  const application = await applicationNamed(context, at, path, options).catch((error) => {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  if (!application) return move('deploy')(context, path, options);
  const input = { application: { appId: application.uid }, startStopped: options.startStopped ?? false };
  const selection = `${jobSelection} leftStopped`;
  const result = await change<Outcome & { leftStopped: string[] }>(at, 'deployApplication', input, selection);
  if (!options.json) printLeftStopped(context, result.leftStopped);
  await finish(context, at, result, `Deploying ${path}.`, options);
}

const doing = { deploy: 'Deploying', start: 'Starting', stop: 'Stopping', restart: 'Restarting' } as const;

/** A command that deploys, starts, stops or restarts one component. */
export const move =
  (kind: keyof typeof doing) => async (context: Context, path: string, options: CommonOptions) => {
    const at = await connection(context);
    const { uid } = await componentNamed(context, at, path, options);
    const input = { component: { componentId: uid } };
    const result = await change<Outcome>(at, `${kind}Component`, input, jobSelection);
    await finish(context, at, result, `${doing[kind]} ${path}.`, options);
  };

export interface ScaleOptions extends CommonOptions {
  replicas?: string;
  cpu?: string;
  memory?: string;
}

/** Changes the number or the size of the instances. */
export async function scale(context: Context, path: string, options: ScaleOptions): Promise<void> {
  const sizes = {
    replicas: count('--replicas', options.replicas),
    cpuMillicores: count('--cpu', options.cpu),
    memoryMiB: count('--memory', options.memory),
  };
  if (Object.values(sizes).every((size) => size === undefined)) {
    throw new Failure('Say what to change: --replicas, --cpu or --memory.');
  }
  const at = await connection(context);
  const { uid } = await componentNamed(context, at, path, options);
  const result = await change<Outcome>(
    at,
    'scaleComponent',
    { component: { componentId: uid }, ...sizes },
    jobSelection,
  );
  await finish(context, at, result, `Scaling ${path}.`, options);
}

interface Switched {
  port: { number: number; isInner: boolean; isOuter: boolean; component: { accessUrls: string[] } };
}

/** A command that opens or closes a port: to the outside, or with `--inner` in the cluster. */
export const switchPort =
  (kind: 'open' | 'close') =>
  async (context: Context, path: string, port: string, options: CommonOptions & { inner?: boolean }) => {
    const number = count('The port', port);
    const at = await connection(context);
    const { uid } = await componentNamed(context, at, path, options);
    const mutation = `${kind}${options.inner ? 'Inner' : 'Outer'}Service`;
    const input = { port: { at: { component: { componentId: uid }, number } } };
    const result = await change<Switched>(
      at,
      mutation,
      input,
      'port { number isInner isOuter component { accessUrls } }',
    );
    if (options.json) return printJson(context, result);
    print(context, `Port ${number} of ${path} is ${kind === 'open' ? 'open' : 'closed'}.`);
    if (kind === 'open' && !options.inner)
      for (const url of result.port.component.accessUrls) print(context, plain(url));
  };

const groupsQuery = `query G($by: ApplicationRef!, $after: String) {
  application(by: $by) {
    components(first: 100, after: $after) {
      nodes { group { uid name templateVersion rollbackVersion } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

interface Group {
  uid: number;
  name: string;
  templateVersion: string | null;
  rollbackVersion: string | null;
}

async function groupsOf(at: Connection, appId: number): Promise<Group[]> {
  const components = await allNodes(async (after) => {
    const answer = await ask<{ application: { components: Page<{ group: Group | null }> } }>(
      at,
      groupsQuery,
      {
        by: { appId },
        after,
      },
    );
    return answer.application.components;
  });
  return [
    ...new Map(components.flatMap(({ group }) => (group ? [[group.uid, group] as const] : []))).values(),
  ];
}

/** Brings an installed template back to the version before its last upgrade. */
export async function rollback(
  context: Context,
  name: string,
  options: DeployOptions & { template?: string },
): Promise<void> {
  const at = await connection(context);
  const { uid: appId } = await applicationNamed(context, at, name, options);
  const able = (await groupsOf(at, appId)).filter(
    (group) => group.rollbackVersion !== null && (!options.template || group.name === options.template),
  );
  if (able.length === 0) throw new Failure(`${name} has no upgrade to roll back.`, { code: 'NOT_FOUND' });
  if (able.length > 1) {
    throw new Failure(`Choose one with --template: ${able.map((group) => group.name).join(', ')}.`, {
      code: 'CONFLICT',
    });
  }
  const group = able[0]!;
  const result = await change<{ group: Group; outcome: { leftStopped: string[] } }>(
    at,
    'rollbackUpgrade',
    { group: { groupId: group.uid }, startStopped: options.startStopped ?? false },
    'group { name templateVersion } outcome { leftStopped }',
  );
  if (options.json) return printJson(context, result);
  printLeftStopped(context, result.outcome.leftStopped);
  print(
    context,
    `${plain(result.group.name)} is back at ${plain(result.group.templateVersion ?? 'its version before')}.`,
  );
}
