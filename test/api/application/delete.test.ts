import { beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { deleteAsPlanned } from '../../support/deletions.ts';
import type { Place } from '../../support/fixtures.ts';
import { expectConsistent } from '../../support/invariants.ts';
import { once } from '../../support/once.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';
import { contentsOf } from '../../support/unchanged.ts';

const trellis = useTrellis({ drivers: [createSimulatedRegion()] });
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
});

const remove = (appId: number, options: object = {}) =>
  deleteAsPlanned(
    trellis,
    'deleteApplication',
    { application: { appId }, ...options },
    'application { appId: uid name componentCount team { uid } }',
  );

const tryRemove = (appId: number, options: object = {}) =>
  trellis.attempt('deleteApplication', { application: { appId }, ...options });

/** Installs a ring of as many components; every second one is open to the outside. */
async function install(appId: number, size: number, deploy = true) {
  const ring = ringTemplate(size, {
    edit: (app, index) => {
      app.port_map_list[0].is_outer_service = index % 2 === 0;
    },
  });
  await trellis.succeed('publishTemplate', { template: ring.text }, 'template { uid }');
  const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
  const input = { application: { appId }, store, templateId: ring.key, version: '1.0.0', deploy };
  const { group } = await trellis.succeed('installApplication', input, 'group { uid }');
  return { ring, groupId: group.uid as number };
}

const rowsOf = (sql: string) => trellis.services.db.query(sql, []);

describe('deleteApplication', () => {
  it('deletes an empty application', async () => {
    const { appId, name } = await trellis.createApplication(place);
    const { payload, done } = await remove(appId);
    expect(done).toEqual([`application.delete ${name}`]);
    expect(payload.application).toEqual({ appId, name, componentCount: 0, team: { uid: place.team.teamId } });
    expect(await tryRemove(appId)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('takes components, groups, upgrade records and store connections along', async () => {
    const { appId, name } = await trellis.createApplication(place);
    const { ring } = await install(appId, 3);
    const next = ringTemplate(4, { key: ring.key, version: '2.0.0' });
    await trellis.succeed('publishTemplate', { template: next.text }, 'template { uid }');
    const upgrades = [{ storeName: 'self', templateId: ring.key, version: '2.0.0' }];
    await trellis.succeed('upgradeApplication', { application: { appId }, upgrades }, '__typename');
    expect(await rowsOf('SELECT id FROM upgrade_record')).toHaveLength(1);
    const refused = await tryRemove(appId);
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(
        /^Components are deployed: ([\w-]+, ){3}[\w-]+\. Stop them first, or set `force`\.$/,
      ),
    });
    const { done } = await remove(appId, { force: true });
    const countOf = (action: string) => done.filter((each) => each.startsWith(action)).length;
    expect(['component.delete', 'port.delete', 'http_rule.delete', 'domain.release'].map(countOf)).toEqual([
      4, 4, 2, 2,
    ]);
    expect(done.slice(-2)).toEqual(['store_connection.delete self', `application.delete ${name}`]);
    for (const table of ['upgrade_record', 'component_group', 'store_connection', 'component', 'domain']) {
      expect(await rowsOf(`SELECT * FROM ${table}`)).toEqual([]);
    }
  });

  it('lets another application of the same name be created, and deleted again', async () => {
    const { appId, name } = await trellis.createApplication(place);
    await install(appId, 2, false);
    await remove(appId);
    const again = await trellis.createApplication(place, name);
    await install(again.appId, 2, false);
    await remove(again.appId);
  });

  it('names components of other applications that depend on it, and removes their dependencies if forced', async () => {
    const { appId } = await trellis.createApplication(place);
    const database = await trellis.createComponent(appId);
    const dependencies = [{ componentId: database.componentId }];
    await trellis.createComponent(appId, { dependencies });
    const other = await trellis.createApplication(place);
    const outside = await trellis.createComponent(other.appId, { dependencies });
    expect(await tryRemove(appId)).toMatchObject({
      code: 'CONFLICT',
      message: `Other components depend on the components to delete: ${outside.alias} on ${database.alias}. Delete these dependencies first, or set \`force\`.`,
    });
    const { done } = await remove(appId, { force: true });
    expect(done.filter((each) => each.startsWith('component.delete_dependency'))).toHaveLength(1);
    expect(done.filter((each) => each.startsWith('component.delete '))).toHaveLength(2);
    await remove(other.appId);
  });

  it('leaves one job that removes dependents before their dependencies, and supersedes unfinished work', async () => {
    const team = await trellis.createTeam();
    const region = await trellis.createRegion({ driver: 'SIMULATED' });
    const there = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
    await trellis.succeed('openTeamRegion', there, 'team { uid }');
    const { appId } = await trellis.createApplication({ team, region });
    const create = (alias: string, ...needs: string[]) =>
      trellis.createComponent(appId, {
        alias,
        deploy: true,
        dependencies: needs.map((componentId) => ({ componentId })),
      });
    const database = await create('database');
    const api = await create('api', database.componentId);
    await create('web', api.componentId, database.componentId);
    await trellis.createComponent(appId, { alias: 'never-deployed' });
    const jobs = await rowsOf('SELECT id FROM job');
    await remove(appId, { force: true });
    const removal = (await rowsOf('SELECT id, kind, status, application_id FROM job ORDER BY id')).slice(
      jobs.length,
    );
    expect(removal).toEqual([[expect.any(Number), 'delete', 'pending', appId]]);
    const parts = await rowsOf(
      `SELECT removed, step, action, status FROM job_component WHERE job_id = ${removal[0]![0]} ORDER BY step`,
    );
    expect(parts.map(([removed, ...rest]) => [JSON.parse(removed as string).alias, ...rest])).toEqual([
      ['web', 0, 'remove', 'pending'],
      ['api', 1, 'remove', 'pending'],
      ['database', 2, 'remove', 'pending'],
    ]);
    const earlier = await rowsOf(
      `SELECT DISTINCT status FROM job_component WHERE region_id = '${region.regionId}' AND action <> 'remove'`,
    );
    expect(earlier).toEqual([['cancelled']]);
  });

  once('takes as many statements for 64 components as for 2', async () => {
    const statementsFor = async (size: number, dryRun: boolean) => {
      const { appId } = await trellis.createApplication(place);
      await install(appId, size);
      const before = dryRun ? await contentsOf(trellis) : {};
      trellis.statements.length = 0;
      const input = { application: { appId }, force: true, dryRun };
      const { plan } = await trellis.succeed('deleteApplication', input, 'plan { action }');
      expect(plan.filter(({ action }: any) => action === 'component.delete')).toHaveLength(size);
      const statements = [...trellis.statements];
      if (dryRun) expect(await contentsOf(trellis)).toEqual(before);
      return statements.length;
    };
    const few = await statementsFor(2, false);
    expect(await statementsFor(64, false)).toBe(few);
    await expectConsistent(trellis);
    // Leaves an application that uses the store, which the others then do not delete.
    await statementsFor(2, true);
    const fewPlanned = await statementsFor(2, true);
    expect(await statementsFor(64, true)).toBe(fewPlanned);
  });
});
