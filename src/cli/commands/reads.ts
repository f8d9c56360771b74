import { allNodes, ask, type Page } from '../api.ts';
import { connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { applicationNamed, applicationsOf, componentNamed } from '../named.ts';
import type { CommonOptions } from '../options.ts';
import { plain, print, printJson, style, table } from '../show.ts';

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
    ` — applied ${manifestState.appliedAt} by ${manifestState.appliedBy?.nickName ?? 'someone'}`;
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
