import { setTimeout as sleep } from 'node:timers/promises';
import { allNodes, ask, type Page } from '../api.ts';
import { connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { pollMs } from '../follow.ts';
import { applicationNamed, applicationsOf, componentNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { note, plain, print, printJson, style, table } from '../show.ts';

/** Lists the applications of a team. */
export async function list(context: Context, options: CommonOptions): Promise<void> {
  const applications = await applicationsOf(context, await connection(context), options);
  if (options.json) return printJson(context, applications);
  const rows = applications.map(({ name, region, state, componentCount }) => [
    name,
    region.name,
    state,
    componentCount,
  ]);
  print(context, table(context, ['APPLICATION', 'REGION', 'STATE', 'COMPONENTS'], rows));
}

const statusQuery = `query S($by: ApplicationRef!, $after: String) {
  application(by: $by) {
    name state region { name } manifestState { appliedAt appliedBy { nickName } }
    components(first: 50, after: $after) {
      nodes { name alias image state replicas hasUndeployedChanges accessUrls }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

interface ShownApplication {
  state: string | null;
  region: { name: string };
  manifestState: { appliedAt: string; appliedBy: { nickName: string } | null } | null;
  components: Page<{
    name: string;
    image: string;
    state: string | null;
    replicas: number;
    hasUndeployedChanges: boolean;
    accessUrls: string[];
  }>;
}

/** Shows the components of an application. */
export async function status(context: Context, name: string, options: CommonOptions): Promise<void> {
  const at = await connection(context);
  const { uid: appId } = await applicationNamed(context, at, name, options);
  let application!: ShownApplication;
  const components = await allNodes(async (after) => {
    ({ application } = await ask<{ application: ShownApplication }>(at, statusQuery, {
      by: { appId },
      after,
    }));
    return application.components;
  });
  const { manifestState, region } = application;
  if (options.json)
    return printJson(context, { name, state: application.state, region, manifestState, components });
  const applied =
    manifestState &&
    ` — applied ${manifestState.appliedAt} by ${manifestState.appliedBy?.nickName ?? 'somebody'}`;
  print(
    context,
    `${style(context, 'bold', plain(name))} in ${plain(region.name)}: ${application.state ?? 'UNKNOWN'}${plain(applied ?? '')}`,
  );
  const rows = components.map((each) => [
    each.name,
    each.state ?? 'UNKNOWN',
    each.replicas,
    each.hasUndeployedChanges ? 'yes' : 'no',
    each.image,
    each.accessUrls.join(' '),
  ]);
  print(context, table(context, ['COMPONENT', 'STATE', 'REPLICAS', 'UNDEPLOYED', 'IMAGE', 'URL'], rows));
}

/** Prints the public addresses of a component. */
export async function openUrl(context: Context, path: string, options: CommonOptions): Promise<void> {
  const at = await connection(context);
  const { uid } = await componentNamed(context, at, path, options);
  const query = 'query ($by: ComponentRef!) { component(by: $by) { accessUrls } }';
  const { accessUrls } = (
    await ask<{ component: { accessUrls: string[] } }>(at, query, { by: { componentId: uid } })
  ).component;
  if (options.json) return printJson(context, accessUrls);
  if (accessUrls.length === 0)
    throw new Failure(`${path} has no public address. Open one of its ports first.`);
  for (const url of accessUrls) print(context, plain(url));
}

const logsQuery = `query L($by: ComponentRef!, $tail: Int, $since: DateTime, $search: String, $source: LogSource) {
  component(by: $by) {
    logs(tail: $tail, since: $since, search: $search, source: $source) { isTruncated lines { instance text at } }
  }
}`;

interface Logs {
  isTruncated: boolean;
  lines: { instance: string; text: string; at: string | null }[];
}

/** Prints what the instances of a component have written and, with `--follow`, what they write. */
export async function logs(
  context: Context,
  path: string,
  options: CommonOptions & { follow?: boolean; tail?: string; search?: string },
): Promise<void> {
  const at = await connection(context);
  const { uid } = await componentNamed(context, at, path, options);
  // A log store has lines later than the instances, which the next answer would leave out.
  const source = options.follow ? 'INSTANCES' : undefined;
  const of = { by: { componentId: uid }, search: options.search, source };
  const tail = count('--tail', options.tail);
  let since: string | undefined;
  /** The lines of the last moment, which the next answer repeats. */
  let seen = new Set<string>();
  for (;;) {
    const { component } = await ask<{ component: { logs: Logs | null } }>(at, logsQuery, {
      ...of,
      tail: since ? undefined : tail,
      since,
    });
    if (!component.logs) throw new Failure('The region has no logs.');
    for (const line of component.logs.lines) {
      const key = `${line.instance} ${line.at} ${line.text}`;
      if (seen.has(key)) continue;
      if (line.at && line.at !== since) [since, seen] = [line.at, new Set()];
      seen.add(key);
      print(
        context,
        options.json
          ? JSON.stringify(line)
          : `${style(context, 'dim', plain(line.instance))} ${plain(line.text)}`,
      );
    }
    if (!options.follow) {
      if (component.logs.isTruncated) note(context, 'Older lines were left out.');
      return;
    }
    await sleep(pollMs(context));
  }
}
