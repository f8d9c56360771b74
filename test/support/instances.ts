import { unique } from './fixtures.ts';
import type { Trellis } from './trellis.ts';

interface Simulated {
  region: { name: string };
  regionId: string;
  component: { componentId: string };
  instance: string;
}

const made = new WeakMap<Trellis, Map<string, Promise<Simulated>>>();

async function createInstance(trellis: Trellis, teamId: string): Promise<Simulated> {
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const team = { teamId };
  await trellis.succeed('openTeamRegion', { team, region: { name: region.name } }, '__typename');
  const { appId } = await trellis.createApplication({ team, region } as never, unique('app'));
  const { componentId } = await trellis.createComponent(appId, { deploy: true });
  const by = { componentId };
  const query = 'query($by: ComponentRef!) { component(by: $by) { instances { name } } }';
  const { component } = await trellis.data(query, { by });
  return {
    region: { name: region.name },
    regionId: region.regionId,
    component: by,
    instance: component.instances[0].name,
  };
}

/** A simulated region of the team, with a component in it. */
function simulated(trellis: Trellis, teamId: string): Promise<Simulated> {
  const ofTrellis = made.get(trellis) ?? new Map<string, Promise<Simulated>>();
  made.set(trellis, ofTrellis);
  const found = ofTrellis.get(teamId) ?? createInstance(trellis, teamId);
  ofTrellis.set(teamId, found);
  return found;
}

/** An instance of a component of the team in a simulated region, which is there again when it was deleted. */
export async function simulatedInstance(trellis: Trellis, teamId: string) {
  const { component, instance } = await simulated(trellis, teamId);
  return { component, instance };
}

/** A volume of a stopped component of the team in a simulated region, with a snapshot. */
export async function simulatedSnapshot(trellis: Trellis, teamId: string) {
  const { regionId } = await simulated(trellis, teamId);
  const place = { team: { teamId }, region: { regionId } };
  const { appId } = await trellis.createApplication(place as never, unique('app'));
  const { componentId } = await trellis.createComponent(appId);
  const input = { component: { componentId }, name: 'data', path: '/data', type: 'share-file' };
  const { volume } = await trellis.succeed('addVolume', input, 'volume { id }');
  const ref = { volume: { id: volume.id as string } };
  const { name } = await trellis.succeed('createVolumeSnapshot', { ...ref, name: unique('s') }, 'name');
  return { ...ref, name: name as string, componentId };
}

/** A namespace that can be imported into the team. */
export async function namespaceToImport(trellis: Trellis, teamId: string) {
  const { region } = await simulated(trellis, teamId);
  return { team: { teamId }, region, namespace: unique('shop') };
}
