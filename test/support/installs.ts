import { createApplication, type Place, succeed } from './fixtures.ts';
import { ringTemplate } from './templates.ts';
import type { Trellis } from './trellis.ts';

/** A template in two versions at the platform's own store, and the body that installs the first through REST. */
export async function createInstall(trellis: Trellis, place: Place, size = 1) {
  const ring = ringTemplate(size);
  for (const { text } of [ring, ringTemplate(size + 1, { key: ring.key, version: '2.0.0' })]) {
    await succeed(trellis, 'publishTemplate', { template: text }, 'template { uid }');
  }
  const application = await createApplication(trellis, place);
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
