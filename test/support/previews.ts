import { unique } from './fixtures.ts';
import { apply } from './manifests.ts';
import type { Trellis } from './trellis.ts';

/** An application that allows previews, with one of each thing that a preview treats in its own way. */
export const previewedDocument = (application: string, previews = '{}') => `
application: ${application}
previews: ${previews}
components:
  web:
    image: nginx:1.28
    replicas: 3
    variables: { MODE: one, API_TOKEN: { value: hush, isSecret: true } }
    ports: { 80: { protocol: http, isOuter: true } }
    schedules: { nightly: { cron: 0 0 1 1 *, command: [mail] } }
    dependsOn: [db]
  db:
    image: "postgres:17"
    ports: { 5432: { protocol: tcp, isInner: true } }
    connectionVariables: { DB_PASSWORD: { value: hush, isSecret: true } }
`;

/** Such an application, deployed. */
export async function previewed(trellis: Trellis, previews?: string) {
  const place = await trellis.createPlace();
  const name = unique('shop');
  const document = previewedDocument(name, previews);
  const { application } = await apply(trellis, place, document, { deploy: 'ALL' });
  return { ...place, name, appId: application.appId as number };
}

const selection = `preview { uid key state reason urls expiresAt images { component image isChanged } application { appId: uid name } }
  job { uid } omitted { kind component name reason } plan { action summary }`;

/** The payload of an opened preview, or its error. */
export const tryOpen = (trellis: Trellis, input: object, token?: string) =>
  trellis.attempt('openPreview', input, selection, token);

export async function open(...args: Parameters<typeof tryOpen>): Promise<any> {
  const result = await tryOpen(...args);
  if (result.__typename !== 'OpenPreviewPayload') throw new Error(JSON.stringify(result));
  return result;
}

export const tryClose = (trellis: Trellis, appId: number, key: string) =>
  trellis.attempt('closePreview', { application: { appId }, key }, 'preview { uid } plan { action }');

export const close = (trellis: Trellis, appId: number, key: string) =>
  trellis.succeed('closePreview', { application: { appId }, key }, 'preview { uid } plan { action }');

/** What an application says of its previews. */
export async function previewsOf(trellis: Trellis, appId: number): Promise<any> {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) { application(by: $by) {
      previewSettings { most lifetimeHours components usesOriginals secrets seed { component command } }
      previews(first: 100) { nodes {
        uid key state reason expiresAt images { component image } original { uid } application { appId: uid }
      } }
    } }`,
    { by: { appId } },
  );
  return application;
}
