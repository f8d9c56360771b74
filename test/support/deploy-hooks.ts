import { type Answer, send } from './send.ts';
import type { Trellis } from './trellis.ts';

/** An application with a component whose deploy hooks work. */
export async function hookedComponent(trellis: Trellis, options: object = {}) {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const component = await trellis.createComponent(appId, { opensWebhooks: true, ...options });
  return { ...place, appId, ...component };
}

export interface Hook {
  deployHookId: string;
  /** The path of its URL. */
  path: string;
}

export async function createHook(
  trellis: Trellis,
  { componentId }: { componentId: string },
  token?: string,
  options: object = {},
): Promise<Hook> {
  const { deployHook, url } = await trellis.succeed(
    'createDeployHook',
    { component: { componentId }, name: 'pipeline', ...options },
    'deployHook { uid } url',
    token,
  );
  return { deployHookId: deployHook.uid, path: new URL(url).pathname };
}

/** A request to a deploy hook, without an access token. */
export const call = (
  trellis: Trellis,
  { path }: { path: string },
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  send(trellis, {
    method: 'POST',
    path,
    token: null,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

/** The component as it is now. */
export const componentRow = async ({ services }: Trellis, componentId: string) =>
  (await services.db.component.findManyByKeys({ by: 'id', keys: [componentId] }))[0]!;
