import { allNodes, ask, change, type Page } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { applicationNamed, componentNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { printLeftStopped } from '../plan.ts';
import { plain, print, printJson, shortDigest, table } from '../show.ts';
import { type DeployOptions, finish, jobSelection, type Outcome } from './changes.ts';

const releasesQuery = `query R($by: ComponentRef!, $after: String) {
  component(by: $by) {
    releases(first: 50, after: $after) {
      nodes {
        number createdAt image digest job { uid status }
        actor { ... on User { nickName } ... on ServiceAccount { name } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

interface Release {
  number: number;
  createdAt: string;
  image: string;
  digest: string | null;
  job: { uid: number; status: string } | null;
  actor: { nickName?: string; name?: string } | null;
}

/** Lists the releases of a component, newest first. */
export async function releases(context: Context, path: string, options: CommonOptions): Promise<void> {
  const at = await connection(context);
  const { uid } = await componentNamed(context, at, path, options);
  const all = await allNodes(async (after) => {
    const variables = { by: { componentId: uid }, after };
    return (await ask<{ component: { releases: Page<Release> } }>(at, releasesQuery, variables)).component
      .releases;
  });
  if (options.json) return printJson(context, all);
  const rows = all.map(({ number, createdAt, image, digest, job, actor }) => [
    number,
    createdAt,
    image,
    digest && shortDigest(digest),
    actor && (actor.nickName ?? actor.name ?? null),
    job && `${job.uid} ${job.status}`,
  ]);
  print(context, table(context, ['RELEASE', 'CREATED', 'IMAGE', 'DIGEST', 'BY', 'JOB'], rows));
}

export interface RollbackOptions extends DeployOptions {
  template?: string;
  release?: string;
}

async function rollbackComponent(context: Context, path: string, options: RollbackOptions): Promise<void> {
  const release = count('--release', options.release!);
  const at = await connection(context);
  const { uid } = await componentNamed(context, at, path, options);
  const startStopped = options.startStopped ?? false;
  const input = { component: { componentId: uid }, release, startStopped };
  const selection = `${jobSelection} plan { leftStopped }`;
  const { plan, ...result } = await change<Outcome & { plan: { leftStopped: string[] } }>(
    at,
    'rollbackComponent',
    input,
    selection,
  );
  if (!options.json) printLeftStopped(context, plan.leftStopped);
  await finish(context, at, result, `Rolling ${path} back to release ${release}.`, options);
}

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
      { by: { appId }, after },
    );
    return answer.application.components;
  });
  return [
    ...new Map(components.flatMap(({ group }) => (group ? [[group.uid, group] as const] : []))).values(),
  ];
}

/** Brings a component back to a release, or an installed template to the version before its last upgrade. */
export async function rollback(context: Context, name: string, options: RollbackOptions): Promise<void> {
  if (options.release !== undefined) return rollbackComponent(context, name, options);
  const at = await connection(context);
  const { uid: appId } = await applicationNamed(context, at, name, options);
  const able = (await groupsOf(at, appId)).filter(
    (group) => group.rollbackVersion !== null && (!options.template || group.name === options.template),
  );
  if (able.length === 0) throw new Failure(`${name} has no upgrade to roll back.`, { code: 'NOT_FOUND' });
  if (able.length > 1) {
    throw new Failure(
      `Several upgrades can be rolled back. Choose one with --template: ${able.map((group) => group.name).join(', ')}.`,
      {
        code: 'CONFLICT',
      },
    );
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
    `${plain(result.group.name)} was rolled back to ${plain(result.group.templateVersion ?? 'its previous version')}.`,
  );
}
