import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import { unique } from '../support/fixtures.ts';
import { connectMcp, type Mcp } from '../support/mcp.ts';
import { useTrellis } from '../support/trellis.ts';

/**
 * Ten tasks of a day, by the calls that an assistant makes for them: it has the listed tools and the names that a person
 * uses, and takes everything else from earlier results.
 */
const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 0 })], jobs: {} });
let mcp: Mcp;
let names: { shop: string; anna: string };
beforeAll(async () => {
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const team = await trellis.createTeam();
  const place = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
  await trellis.succeed('openTeamRegion', place, '__typename');
  names = { shop: unique('shop'), anna: (await trellis.createPerson()).email };
  const document = `
    application: ${names.shop}
    components:
      web:
        image: registry.example/web:1.0.0
        ports: { 8080: { protocol: HTTP } }
        dependsOn: [db]
      db:
        image: registry.example/db:17
  `;
  await trellis.succeed('applyManifest', { ...place, document, deploy: 'ALL' }, 'application { uid }');
  mcp = await connectMcp(trellis, (await trellis.createMember(team.teamId, 'OWNER')).token);
  // The client checks results by the schemas of the tools that it has listed.
  await mcp.client.listTools();
});
afterAll(() => mcp?.close());

/** The result of a listed tool. */
async function use(name: string, given: object = {}): Promise<any> {
  const { text, value, isError } = await mcp.call(name, given);
  if (isError) throw new Error(`${name}: ${text}`);
  return value;
}

/** The result of an operation that is not listed, which words find. */
async function find(search: string, name: string, given: object): Promise<any> {
  const { operations } = await use('find_operations', { search });
  expect(operations.slice(0, 2).map((each: { name: string }) => each.name)).toContain(name);
  return use('call_operation', { name, arguments: given });
}

async function component(name: string) {
  const { components } = await use('find_components', { search: name });
  const node = components.nodes.find((each: { name: string }) => each.name === name);
  return (await use('get_component', { component: { id: node.id } })).component;
}

async function ended(job: { id: string }): Promise<string> {
  for (;;) {
    const { status } = (await use('get_job', { job: { id: job.id } })).job;
    if (!['PENDING', 'RUNNING'].includes(status)) return status;
  }
}

describe('an assistant', () => {
  it('finds an application, and says what it consists of', async () => {
    const { applications } = await use('find_applications', { search: names.shop });
    const { application } = await use('get_application', { application: { id: applications.nodes[0].id } });
    expect(application).toMatchObject({ name: names.shop, state: 'RUNNING' });
    expect(application.components.nodes.map((each: { name: string }) => each.name)).toEqual(['db', 'web']);
    const { components } = await use('find_components', { words: `web ${names.shop}` });
    expect(components.nodes.map((each: { name: string }) => each.name)).toEqual(['web']);
  });

  it('deploys a new image after a dry run, and waits for the job', async () => {
    const { id, revision } = await component('web');
    const given = { component: { id }, image: 'registry.example/web:1.1.0', deploy: true };
    const planned = await use('update_component', { ...given, dryRun: true });
    expect(planned.plan[0].summary).toContain('1.0.0 → 1.1.0');
    expect((await component('web')).image).toBe('registry.example/web:1.0.0');
    const { job } = await use('update_component', { ...given, expectedRevision: revision });
    expect(await ended(job)).toBe('SUCCEEDED');
    expect((await component('web')).image).toBe('registry.example/web:1.1.0');
  });

  it('opens a port to the outside, and tells the address', async () => {
    const { id } = await component('web');
    const { component: withPorts } = await use('list_ports', { component: { id } });
    const port = { port: { id: withPorts.ports.nodes[0].id } };
    expect((await use('open_outer_service', { ...port, dryRun: true })).plan).not.toEqual([]);
    await use('open_outer_service', port);
    expect((await component('web')).accessUrls).toHaveLength(1);
    await use('close_outer_service', port);
    expect((await component('web')).accessUrls).toEqual([]);
  });

  it('sets a variable, and reads it back', async () => {
    const { id } = await component('web');
    const set = [{ name: 'LOG_LEVEL', value: 'debug' }];
    await find('environment variables', 'set_variables', { component: { id }, set });
    const { component: withVariables } = await use('list_variables', { component: { id } });
    expect(withVariables.variables.nodes).toContainEqual(expect.objectContaining(set[0]!));
  });

  it('restarts a component', async () => {
    const { id } = await component('db');
    expect(await ended((await use('restart_component', { component: { id } })).job)).toBe('SUCCEEDED');
  });

  it('finds the jobs of the team, and the log of a component', async () => {
    const { teams } = await use('find_teams');
    const { team } = await use('list_jobs', { team: { id: teams.nodes[0].id } });
    expect(team.jobs.nodes.length).toBeGreaterThan(2);
    const { id } = await component('db');
    expect(await use('read_logs', { component: { id } })).toHaveProperty('component');
  });

  it('rolls back to an older release', async () => {
    const { id } = await component('web');
    const { component: withReleases } = await find('list releases', 'list_releases', { component: { id } });
    const [first] = withReleases.releases.nodes.toReversed();
    const given = { component: { id }, release: first.number };
    const { job } = await find('roll back to an older release', 'rollback_component', given);
    expect(await ended(job)).toBe('SUCCEEDED');
    expect((await component('web')).image).toBe('registry.example/web:1.0.0');
  });

  it('scales a component by its load', async () => {
    const { id } = await component('web');
    const bounds = { minReplicas: 1, maxReplicas: 3, cpuPercent: 70 };
    const result = await find('autoscale', 'set_autoscaling', { component: { id }, ...bounds });
    expect(result.component.id).toBe(id);
  });

  it('invites somebody to the team', async () => {
    const { teams } = await use('find_teams');
    const given = { team: { id: teams.nodes[0].id }, user: { email: names.anna }, role: 'VIEWER' };
    expect((await find('invite somebody', 'add_team_member', given)).member.role).toBe('VIEWER');
  });

  it('says who did what', async () => {
    const { teams } = await use('find_teams');
    const { team } = await find('audit', 'list_events', { team: { id: teams.nodes[0].id } });
    const summaries = team.events.nodes.map((each: { summary: string }) => each.summary);
    expect(summaries.join()).toContain('viewer');
  });
});
