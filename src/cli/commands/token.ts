import { ask, change } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { applicationNamed, componentNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { teamOf } from '../place.ts';
import { print, printJson } from '../show.ts';

export const presets = ['read', 'deploy', 'application'] as const;

export interface TokenOptions extends CommonOptions {
  preset: (typeof presets)[number];
  component?: string;
  application?: string;
  serviceAccount?: string;
  expiresInDays?: string;
}

interface Created {
  secret: string;
  accessToken: { uid: string; name: string; expiresAt: string | null };
}

/** Creates an access token that is limited to what is often needed, and prints it. */
export async function createToken(context: Context, name: string, options: TokenOptions): Promise<void> {
  const days = count('--expires-in-days', options.expiresInDays);
  const at = await connection(context);
  const input = {
    name,
    grants: [await grantOf(context, at, options)],
    ...(options.serviceAccount !== undefined && {
      serviceAccount: await accountNamed(context, at, options.serviceAccount, options),
    }),
    ...(days !== undefined && { expiresAt: new Date(Date.now() + days * 86_400_000).toISOString() }),
  };
  const selection = 'secret accessToken { uid name expiresAt }';
  const { secret, accessToken } = await change<Created>(at, 'createAccessToken', input, selection);
  if (options.json) printJson(context, { secret, accessToken });
  else print(context, secret);
}

async function grantOf(context: Context, at: Connection, options: TokenOptions): Promise<object> {
  const { preset, component, application } = options;
  if (preset === 'deploy') {
    if (component === undefined) throw new Failure('Specify the component: --component shop/web.');
    const { uid } = await componentNamed(context, at, component, options);
    const actions = ['UPDATE_COMPONENT', 'DEPLOY_COMPONENT', 'READ_LOGS'];
    return { actions, component: { componentId: uid } };
  }
  if (preset === 'application') {
    if (application === undefined) throw new Failure('Specify the application: --application shop.');
    const { uid: appId } = await applicationNamed(context, at, application, options);
    return { actions: await allActions(at), application: { appId } };
  }
  return { actions: ['READ'], ...(await placeOf(context, at, options)) };
}

/** The place that a read-only token is limited to. */
async function placeOf(context: Context, at: Connection, options: TokenOptions): Promise<object> {
  if (options.component !== undefined) {
    return {
      component: { componentId: (await componentNamed(context, at, options.component, options)).uid },
    };
  }
  if (options.application === undefined) return {};
  return { application: { appId: (await applicationNamed(context, at, options.application, options)).uid } };
}

async function allActions(at: Connection): Promise<string[]> {
  const query = '{ __type(name: "Action") { enumValues { name } } }';
  const { __type } = await ask<{ __type: { enumValues: { name: string }[] } }>(at, query);
  return __type.enumValues.map(({ name }) => name);
}

async function accountNamed(context: Context, at: Connection, name: string, options: TokenOptions) {
  const query = `query S($by: TeamRef!) { team(by: $by) { serviceAccounts(first: 100) { nodes { uid name } } } }`;
  const by = { name: await teamOf(context, at, options) };
  const { team } = await ask<{ team: { serviceAccounts: { nodes: { uid: string; name: string }[] } } }>(
    at,
    query,
    { by },
  );
  const account = team.serviceAccounts.nodes.find((each) => each.name === name);
  if (!account) throw new Failure(`The team has no service account ${name}.`, { code: 'NOT_FOUND' });
  return { serviceAccountId: account.uid };
}
