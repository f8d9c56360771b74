import { setTimeout as sleep } from 'node:timers/promises';
import { allNodes, ask, change, type Page } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { pollMs } from '../follow.ts';
import { applicationNamed } from '../named.ts';
import { type CommonOptions, count } from '../options.ts';
import { plain, print, printJson, table } from '../show.ts';

interface Preview {
  uid: string;
  key: string;
  state: string;
  reason: string | null;
  urls: string[];
  expiresAt: string;
  images: { component: string; image: string }[];
}

const selection = 'uid key state reason urls expiresAt images { component image }';
const previewQuery = `query P($by: PreviewRef!) { preview(by: $by) { ${selection} } }`;
const listQuery = `query L($by: ApplicationRef!, $after: String) {
  application(by: $by) {
    previews(first: 50, after: $after) { nodes { ${selection} } pageInfo { hasNextPage endCursor } }
  }
}`;

export interface OpenPreviewOptions extends CommonOptions {
  key: string;
  image?: string[];
  variable?: string[];
  hours?: string;
}

/** The parts of `component=image` and of `component.NAME=value`. */
function partsOf(option: string, text: string, form: RegExp, example: string): string[] {
  const parts = form.exec(text)?.slice(1);
  if (!parts) throw new Failure(`${option} must be ${example}.`);
  return parts;
}

const unsettled = new Set(['DEPLOYING', 'SEEDING']);

/** The preview once it is deployed and its first command has ended or, with `--no-wait`, as it is. */
async function settled(at: Connection, context: Context, preview: Preview, wait = true): Promise<Preview> {
  let seen = preview;
  while (wait && unsettled.has(seen.state)) {
    await sleep(pollMs(context));
    const by = { previewId: preview.uid };
    seen = (await ask<{ preview: Preview }>(at, previewQuery, { by })).preview;
  }
  return seen;
}

/** Opens a preview of an application, or updates it, and prints its addresses. */
export async function openPreview(
  context: Context,
  name: string,
  options: OpenPreviewOptions,
): Promise<void> {
  const { key, hours, wait } = options;
  const images = (options.image ?? []).map((text) => {
    const [component, image] = partsOf('--image', text, /^([^=]+)=(.+)$/, '<component>=<image>');
    return { component, image };
  });
  const variables = (options.variable ?? []).map((text) => {
    const form = /^([^=]+)\.([^=.]+)=([\s\S]*)$/;
    const [component, variable, value] = partsOf('--variable', text, form, '<component>.<NAME>=<value>');
    return { component, name: variable, value };
  });
  const at = await connection(context);
  const { uid } = await applicationNamed(context, at, name, options);
  const lifetimeHours = count('--hours', hours);
  const input = { application: { appId: uid }, key, images, variables, lifetimeHours };
  const opened = await change<{ preview: Preview }>(at, 'openPreview', input, `preview { ${selection} }`);
  const preview = await settled(at, context, opened.preview, wait);
  if (options.json) printJson(context, preview);
  else for (const url of preview.urls) print(context, plain(url));
  if (preview.state !== 'FAILED') return;
  throw new Failure(`Preview ${key} failed${preview.reason ? `: ${preview.reason}` : '.'}`, {
    code: preview.state,
  });
}

/** Deletes a preview. */
export async function closePreview(
  context: Context,
  name: string,
  { key, ...options }: CommonOptions & { key: string },
): Promise<void> {
  const at = await connection(context);
  const { uid } = await applicationNamed(context, at, name, options);
  const input = { application: { appId: uid }, key };
  const { preview } = await change<{ preview: Preview }>(
    at,
    'closePreview',
    input,
    `preview { uid key state }`,
  );
  if (options.json) return printJson(context, preview);
  print(context, `Closed preview ${key} of ${name}.`);
}

/** Lists the previews of an application. */
export async function listPreviews(context: Context, name: string, options: CommonOptions): Promise<void> {
  const at = await connection(context);
  const { uid } = await applicationNamed(context, at, name, options);
  const all = await allNodes(async (after) => {
    const variables = { by: { appId: uid }, after };
    const answer = await ask<{ application: { previews: Page<Preview> } }>(at, listQuery, variables);
    return answer.application.previews;
  });
  if (options.json) return printJson(context, all);
  const rows = all.map(({ key, state, urls, expiresAt }) => [key, state, urls[0] ?? null, expiresAt]);
  print(context, table(context, ['PREVIEW', 'STATE', 'ADDRESS', 'EXPIRES'], rows));
}
