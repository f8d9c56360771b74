import { expect } from 'vitest';
import { copy } from './copies.ts';
import { over } from './deployed-images.ts';
import { open } from './previews.ts';
import { templateText } from './templates.ts';
import type { Trellis } from './trellis.ts';

/** Real applications, and the versions that are copied. */
export const copiedTemplates = [
  ['online-boutique', 'v0.10.3'],
  ['sock-shop', '0.3.0'],
] as const;

/** The names, states and addresses of the components of an application. */
export async function componentsOf(
  trellis: Trellis,
  appId: number,
): Promise<{ uid: string; name: string; state: string; accessUrls: string[] }[]> {
  const { application } = await trellis.data(
    'query ($by: ApplicationRef!) { application(by: $by) { components(first: 100) { nodes { uid name state accessUrls } } } }',
    { by: { appId } },
  );
  return application.components.nodes;
}

/** Installs a template, and deploys a copy and a preview beside it: all run, at addresses of their own. */
export async function copiesOf(
  trellis: Trellis,
  at: object,
  [name, version]: readonly [name: string, version: string],
  /** Called once the original runs. */
  installed: () => Promise<void> = async () => {},
): Promise<{ original: number; copy: number; preview: number }> {
  await trellis.succeed('publishTemplate', { template: templateText(name, version) }, '__typename');
  const { application } = await trellis.succeed(
    'createApplication',
    { ...at, name, previews: { secrets: 'COPY' } },
    'application { uid isolation }',
  );
  expect(application.isolation).toBe('OWN');
  const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
  const templateId = JSON.parse(templateText(name, version)).group_key;
  const original = { appId: application.uid as number };
  const install = { application: original, store, templateId, version, deploy: true };
  await over(trellis, (await trellis.succeed('installApplication', install, 'job { uid }')).job.uid);
  await installed();
  const made = await copy(trellis, { application: original, name: `${name} copy`, deploy: true });
  await over(trellis, made.job!.uid);
  const opened = await open(trellis, { application: original, key: 'pr-1' });
  await over(trellis, opened.job.uid);
  const applications = {
    original: original.appId,
    copy: made.application!.appId,
    preview: opened.preview.application.appId as number,
  };
  const ids = Object.values(applications);
  const components = await Promise.all(ids.map((appId) => componentsOf(trellis, appId)));
  const namesOf = (all: (typeof components)[number]) => all.map(({ name: of, state }) => [of, state]);
  expect(new Set(components[0]!.map(({ state }) => state))).toEqual(new Set(['RUNNING']));
  for (const others of components.slice(1)) expect(namesOf(others)).toEqual(namesOf(components[0]!));
  const addresses = components.flatMap((all) => all.flatMap(({ accessUrls }) => accessUrls));
  expect(addresses.length).toBeGreaterThanOrEqual(3);
  expect(new Set(addresses).size).toBe(addresses.length);
  return applications;
}
