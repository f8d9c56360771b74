import { planSelection } from './manifests.ts';
import type { Trellis } from './trellis.ts';

export const ref = (componentId: string) => ({ component: { componentId } });

export const releaseFields =
  'uid number createdAt image version restoredNumber promotedFrom { uid } job { uid kind status } actor { __typename } deployHook { uid }';

/** The releases of a component, newest first. */
export async function releasesOf(trellis: Trellis, componentId: string, token?: string): Promise<any[]> {
  const { component } = await trellis.data(
    `query($by: ComponentRef!) { component(by: $by) { releases(first: 100) { totalCount nodes { ${releaseFields} } } } }`,
    { by: { componentId } },
    ...(token === undefined ? [] : [token]),
  );
  return component.releases.nodes;
}

export const rollBack = (
  trellis: Trellis,
  componentId: string,
  release: number,
  options: object = {},
  token?: string,
) =>
  trellis.attempt(
    'rollbackComponent',
    { ...ref(componentId), release, ...options },
    `component { image } release { number restoredNumber } job { uid kind } plan { ${planSelection} }`,
    token,
  );

export const deploy = (trellis: Trellis, componentId: string, token?: string) =>
  trellis.succeed('deployComponent', ref(componentId), 'job { uid }', token);

/** What changes from one release of a component to another. */
export async function diff(
  trellis: Trellis,
  componentId: string,
  from: number,
  to?: number,
): Promise<any[] | null> {
  const { release } = await trellis.data(
    `query($by: ReleaseRef!, $to: Int) {
      release(by: $by) { diff(to: $to) { action object component name fields { field before after isSecret } isDestructive } }
    }`,
    { by: { at: { component: { componentId }, number: from } }, to },
  );
  return release.diff;
}

/** What a release deployed, as JSON. */
export async function manifestOf(trellis: Trellis, componentId: string, number: number, token?: string) {
  const { release } = await trellis.data(
    'query($by: ReleaseRef!) { release(by: $by) { manifest(format: JSON) } }',
    { by: { at: { component: { componentId }, number } } },
    ...(token === undefined ? [] : [token]),
  );
  return JSON.parse(release.manifest);
}

export async function stateOf(trellis: Trellis, componentId: string) {
  const { component } = await trellis.data(
    `query($by: ComponentRef!) { component(by: $by) {
      image version command replicas cpuMillicores memoryMiB desiredState hasUndeployedChanges
      probes { liveness { http { port path } } } preStopSeconds
      variables { nodes { name value label scope isSecret isChangeable } }
      volumes { nodes { name path type fileContent capacityGiB } }
      dependencies { nodes { alias } }
    } }`,
    { by: { componentId } },
  );
  return component;
}
