import { change } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { outcomeOf, requireSuccess, type SeenJob } from '../follow.ts';
import { applicationOrNone, componentNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { printLeftStopped } from '../plan.ts';
import { plain, print, printJson } from '../show.ts';

export interface Outcome {
  job: SeenJob | null;
}

/** Says what a change does, and follows its job. */
export async function finish(
  context: Context,
  at: Connection,
  result: Outcome,
  done: string,
  options: CommonOptions,
): Promise<void> {
  if (!options.json) print(context, done);
  const job = await outcomeOf(context, at, result.job, options);
  if (options.json) printJson(context, { ...result, job });
  requireSuccess(job);
}

export const jobSelection = 'job { uid status }';

export interface DeployOptions extends CommonOptions {
  startStopped?: boolean;
  image?: string;
}

/**
 * Deploys an application, or one component of it, with another image if one is given. A component that is named is deployed in any
 * state.
 */
export async function deploy(context: Context, path: string, options: DeployOptions): Promise<void> {
  const at = await connection(context);
  if (options.image !== undefined) {
    const { uid } = await componentNamed(context, at, path, options);
    const input = { component: { componentId: uid }, image: options.image, deploy: true };
    const result = await change<Outcome>(at, 'updateComponent', input, jobSelection);
    return finish(context, at, result, `Deploying ${options.image} to ${path}.`, options);
  }
  const application = await applicationOrNone(context, at, path, options);
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
    throw new Failure('Set at least one of --replicas, --cpu or --memory.');
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
