import type { Place } from './fixtures.ts';
import { ringTemplate } from './templates.ts';
import type { Trellis } from './trellis.ts';

/** A template in two versions at the platform's own store. */
async function publishTwo(trellis: Trellis, size: number, nextSize: number) {
  const ring = ringTemplate(size);
  for (const { text } of [ring, ringTemplate(nextSize, { key: ring.key, version: '2.0.0' })]) {
    await trellis.succeed('publishTemplate', { template: text }, 'template { uid }');
  }
  return ring;
}

/** A new template in two versions, and the inputs that install the first and upgrade to the second. */
export async function createTemplate(trellis: Trellis, appId: number) {
  const ring = await publishTwo(trellis, 1, 1);
  const application = { appId };
  const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
  const upgrades = [{ storeName: 'self', templateId: ring.key, version: '2.0.0' }];
  return {
    ring,
    install: { application, store, templateId: ring.key, version: '1.0.0' },
    upgrade: { application, upgrades },
  };
}

/** The same installed in one group and upgraded. */
export async function upgradedGroup(trellis: Trellis, appId: number): Promise<{ groupId: number }> {
  const { install, upgrade } = await createTemplate(trellis, appId);
  const { group } = await trellis.succeed('installApplication', install, 'group { uid }');
  await trellis.succeed('upgradeApplication', upgrade, '__typename');
  return { groupId: group.uid };
}

/** A template in two versions at the platform's own store, and the body that installs the first through REST. */
export async function createInstall(trellis: Trellis, place: Place, size = 1) {
  const ring = await publishTwo(trellis, size, size + 1);
  const application = await trellis.createApplication(place);
  const body = {
    market_url: trellis.url,
    market_domain: 'self',
    market_type: 'standard',
    market_access_key: trellis.adminToken,
    app_model_id: ring.key,
    app_model_version: '1.0.0',
  };
  const upgrade = {
    update_versions: [{ market_name: 'self', app_model_id: ring.key, app_model_version: '2.0.0' }],
  };
  return {
    ring,
    application,
    /** Where the application is, below `/openapi/v1`. */
    at: `/teams/${place.team.teamId}/regions/${place.region.name}/apps/${application.appId}`,
    body,
    upgrade,
  };
}
