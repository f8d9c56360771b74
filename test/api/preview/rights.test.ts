import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply } from '../../support/manifests.ts';
import { open } from '../../support/previews.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });

/** A value that only the original has. */
const inside = unique('inside');

const document = (application: string) => `
application: ${application}
previews: { seed: { component: web, command: [${inside}] } }
components:
  web:
    image: nginx:1.28
    variables: { MODE: ${inside} }
    volumes:
      app: { type: config-file, path: /etc/app.conf, fileContent: ${inside} }
      uploads: { type: share-file, path: /uploads, isShared: true }
    ports: { 80: { protocol: http, isOuter: true } }
`;

interface World {
  appId: number;
  teamId: string;
  region: string;
  /** A token with OPEN_PREVIEW and CLOSE_PREVIEW alone. */
  token: string;
  componentId: string;
}
let world: World;
beforeAll(async () => {
  const { team, region } = await trellis.createPlace();
  const applied = await apply(trellis, { team, region }, document(unique('shop')), { deploy: 'ALL' });
  const appId: number = applied.application.appId;
  const grants = [{ actions: ['OPEN_PREVIEW', 'CLOSE_PREVIEW'], application: { appId } }];
  const { secret } = await trellis.succeed('createAccessToken', { name: unique('t'), grants }, 'secret');
  const { application } = await trellis.data(
    'query($by: ApplicationRef!) { application(by: $by) { components { nodes { uid } } } }',
    { by: { appId } },
  );
  const componentId: string = application.components.nodes[0].uid;
  world = { appId, teamId: team.teamId, region: region.name, token: secret, componentId };
});

describe('a token with the rights to previews alone', () => {
  it('opens, reads, updates, lists and closes them', async () => {
    const { appId, token } = world;
    const application = { appId };
    const images = [{ component: 'web', image: 'nginx:1.29' }];
    const { preview } = await open(trellis, { application, key: 'own', images }, token);
    expect(preview).toMatchObject({
      ...{ key: 'own', images: [{ component: 'web', image: 'nginx:1.29', isChanged: true }] },
      ...{ urls: [expect.stringMatching(/^https?:/)], application: null },
    });
    const again = await open(trellis, { application, key: 'own', lifetimeHours: 2 }, token);
    expect(again.preview.uid).toBe(preview.uid);
    const query = `query($by: ApplicationRef!, $preview: PreviewRef!) {
      application(by: $by) { name previews(first: 9) { totalCount nodes { key state images { image } urls } } }
      preview(by: $preview) { key state }
    }`;
    const read = await trellis.data(query, { by: application, preview: { previewId: preview.uid } }, token);
    expect(read.application.previews).toMatchObject({ totalCount: 1, nodes: [{ key: 'own' }] });
    expect(read.preview).toMatchObject({ key: 'own' });
    const closing = { application, key: 'own' };
    const closed = await trellis.attempt('closePreview', closing, 'preview { uid }', token);
    expect(closed).toMatchObject({ preview: { uid: preview.uid } });
  });

  it('shows nothing of what is in the application', async () => {
    const { appId, componentId, teamId, token } = world;
    const everything = `query($by: ApplicationRef!, $team: TeamRef!) {
      application(by: $by) {
        componentCount previewSettings { most } manifest { document } manifestState { uid } copies: viewerCan(action: COPY_APPLICATION)
        components(first: 9) { totalCount nodes { name } }
        events(first: 9) { nodes { id } }
        jobs(first: 9) { nodes { uid } }
        upgradeRecords(first: 9) { nodes { id } }
        gatewayRules { http(first: 9) { nodes { uid } } }
      }
      team(by: $team) {
        componentCount
        components(first: 9) { nodes { name } }
        events(first: 9) { nodes { id } }
        jobs(first: 9) { nodes { uid } }
      }
    }`;
    const read = await trellis.data(everything, { by: { appId }, team: { teamId } }, token);
    const nothing = { nodes: [] };
    const inTeam = { componentCount: 0, components: nothing, events: nothing, jobs: nothing };
    expect(read).toEqual({
      application: {
        ...{ ...inTeam, components: { totalCount: 0, nodes: [] }, upgradeRecords: nothing },
        ...{ previewSettings: null, manifest: null, manifestState: null, copies: false },
        gatewayRules: { http: nothing },
      },
      team: inTeam,
    });
    const lookup = 'query($by: ComponentRef!) { component(by: $by) { name } }';
    const looked = await trellis.graphql(lookup, { by: { componentId } }, token);
    expect(looked.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    const component = await trellis.attempt(
      'restartComponent',
      { component: { componentId } },
      '__typename',
      token,
    );
    expect(component).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('shows no value of it in plans and answers', async () => {
    const { appId, token } = world;
    const application = { appId };
    const more = 'plan { action name summary digest } omitted { name reason }';
    const input = { application, key: 'plan' };
    for (const dryRun of [true, false]) {
      const payload = await trellis.attempt('openPreview', { ...input, dryRun }, more, token);
      expect(payload.__typename).toBe('OpenPreviewPayload');
      expect(JSON.stringify(payload)).not.toContain(inside);
    }
  });
});
