import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import { cliFor } from '../support/cli.ts';
import { useDriver } from '../support/deploys.ts';
import { unique } from '../support/fixtures.ts';
import { apply } from '../support/manifests.ts';
import { createAccount, exchange, startIssuer, type TestIssuer, trust } from '../support/token-issuer.ts';
import { useTrellis } from '../support/trellis.ts';

const recipes = readFileSync(new URL('../../docs/previews.md', import.meta.url), 'utf8');

let folder: string;
let cli: ReturnType<typeof cliFor>;
let issuer: TestIssuer;
let name: string;
let appId: number;
let account: Awaited<ReturnType<typeof createAccount>>;
const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 20 })], jobs: {}, runs: {} });
beforeAll(async () => {
  const place = await trellis.createPlace();
  await useDriver(trellis, place.region.regionId, 'simulated');
  name = unique('shop');
  const document = `
application: ${name}
previews: { most: 2 }
components:
  web: { image: "nginx:1.28", ports: { 80: { protocol: http, isOuter: true } } }
`;
  const { application } = await apply(trellis, place, document, { deploy: 'ALL' });
  ({ appId } = application);
  folder = mkdtempSync(join(tmpdir(), 'trellis-cli-'));
  cli = cliFor(trellis, { XDG_CONFIG_HOME: folder, TRELLIS_TEAM: place.team.name });
  issuer = await startIssuer();
  account = await createAccount(trellis, place.team.teamId, 'DEVELOPER', 'previews');
});
afterAll(async () => {
  await issuer?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A trust for previews alone, with the claims that a recipe names. */
const trustFor = (claims: Record<string, string>) =>
  trust(trellis, issuer, account, {
    claims: Object.entries(claims).map(([claim, pattern]) => ({ name: claim, pattern })),
    grants: [{ actions: ['OPEN_PREVIEW', 'CLOSE_PREVIEW'], application: { appId } }],
  });
const exchangedFor = async (claims: object) =>
  (await exchange(trellis, await issuer.token({ ...claims }), { audience: account.serviceAccountId })).body;

describe('trellis preview', () => {
  it('opens, updates, lists and closes a preview with the token of a pipeline', async () => {
    await trustFor({ sub: 'repo:shop/web:pull_request' });
    const { access_token } = await exchangedFor({ sub: 'repo:shop/web:pull_request' });
    const env = { TRELLIS_TOKEN: access_token };
    const open = (image: string) =>
      cli(['preview', 'open', name, '--key', 'pr-42', '--image', `web=${image}`, '--wait', '--json'], {
        env,
      });
    const opened = await open('nginx:1.29');
    expect([opened.stderr, opened.status]).toEqual(['', 0]);
    const preview = JSON.parse(opened.stdout);
    expect(preview).toMatchObject({
      key: 'pr-42',
      state: 'READY',
      urls: [expect.stringMatching(/^http/)],
      images: [{ component: 'web', image: 'nginx:1.29' }],
    });
    const again = JSON.parse((await open('nginx:1.30')).stdout);
    expect([again.uid, again.images]).toEqual([preview.uid, [{ component: 'web', image: 'nginx:1.30' }]]);
    const listed = await cli(['preview', 'list', name], { env });
    expect(listed.stdout).toMatch(/^PREVIEW +STATE +ADDRESS +EXPIRES\npr-42 +READY +http\S+ +\S+\n$/);
    const refused = await cli(['deploy', name], { env });
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('FORBIDDEN')]);
    const closed = await cli(['preview', 'close', name, '--key', 'pr-42'], { env });
    expect([closed.status, closed.stdout]).toEqual([0, `Closed preview pr-42 of ${name}.\n`]);
  });

  it('says what is wrong with its options', async () => {
    const noKey = await cli(['preview', 'open', name]);
    expect([noKey.status, noKey.stderr]).toEqual([1, expect.stringContaining('--key')]);
    const noImage = await cli(['preview', 'open', name, '--key', 'a', '--image', 'nginx']);
    expect(noImage.stderr).toContain('--image must be <component>=<image>.');
  });
});

describe('the trusts of the recipes', () => {
  it('refuse the tokens of forks', async () => {
    for (const claim of ['repository_id', 'event_name', 'project_id', 'pipeline_source', 'ref_path']) {
      expect(recipes).toContain(`\`${claim}\``);
    }
    const github = { repository_id: '12345', event_name: 'pull_request', sub: 'repo:shop/web:pull_request' };
    const gitlab = {
      project_id: '99',
      pipeline_source: 'merge_request_event',
      ref_path: 'refs/merge-requests/*',
    };
    await trustFor(github);
    await trustFor(gitlab);
    const merge = { ...gitlab, sub: 'project_path:shop/web', ref_path: 'refs/merge-requests/7/head' };
    expect(await exchangedFor(merge)).toHaveProperty('access_token');
    const others = [
      // The project of the fork runs the pipeline of its merge request.
      { ...merge, project_id: '100' },
      { ...merge, pipeline_source: 'push' },
      // The job has the identity of the repository, for whoever's pull request.
      { ...github, sub: 'repo:shop/web:ref:refs/heads/main', event_name: 'pull_request_target' },
      { ...github, sub: 'repo:stranger/web:pull_request', repository_id: '777' },
    ];
    for (const claims of others) {
      expect([claims, await exchangedFor(claims)]).toEqual([
        claims,
        expect.objectContaining({ error: 'invalid_request' }),
      ]);
    }
  });
});
