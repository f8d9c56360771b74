import { expect } from 'vitest';
import { unique } from './fixtures.ts';
import { kindNamed } from './kubernetes/api/kinds.ts';
import { type ClusterPlace, patience } from './kubernetes/place.ts';
import type { RegistryServer } from './registry-server.ts';
import type { Trellis } from './trellis.ts';

const jobFields =
  'job { uid outcome note components { nodes { name action outcome digest note } } } plan { action digest }';

/** A component of a cluster, whose image is a tag of a registry. */
export async function createWeb(
  trellis: Trellis,
  { appId }: ClusterPlace,
  registry: Pick<RegistryServer, 'host'>,
  { tag = 'main', ...given }: { tag?: string; [field: string]: unknown } = {},
) {
  const name = unique('web');
  const image = `${registry.host}/shop/web:${tag}`;
  const { component } = await trellis.succeed(
    'createComponent',
    { application: { appId }, name, alias: name, image, replicas: 1, ...given },
    'component { uid }',
  );
  return { componentId: component.uid as string, name, image };
}

/** Acts on a component, and waits until its job is over. */
export async function act(
  trellis: Trellis,
  mutation: string,
  { componentId }: { componentId: string },
  input: object = {},
) {
  const { job, plan } = await trellis.succeed(
    mutation,
    { component: { componentId }, ...input },
    mutation === 'rollbackComponent'
      ? jobFields.replace(/ plan.*/, ' plan { images { digest } }')
      : jobFields,
  );
  if (job) await over(trellis, job.uid);
  return { ...job, part: job?.components.nodes[0], plan };
}

export async function over(trellis: Trellis, jobId: number): Promise<void> {
  const status = async () => {
    const { job } = await trellis.data(`{ job(by: { jobId: ${jobId} }) { status error } }`);
    return job;
  };
  await expect.poll(status, patience).toEqual({ status: 'SUCCEEDED', error: null });
}

/** What is known of the images of a component. */
export async function imagesOf(trellis: Trellis, componentId: string, more = '') {
  const { component } = await trellis.data(
    `{ component(by: { componentId: "${componentId}" }) { image releaseCount deployedImage { reference digest resolvedAt ${more} } releases { nodes { number image digest resolvedAt } } } }`,
  );
  return component;
}

/** The pods of a component in its cluster. */
export const podsOf = ({ server, namespace }: ClusterPlace, name: string): any[] =>
  [...server.cluster.store.list(kindNamed('Pod'), namespace)].filter(
    ({ metadata }: any) => metadata.name.startsWith(`${name}-`) && !metadata.deletionTimestamp,
  );

export const podOf = (place: ClusterPlace, name: string) => {
  const [pod] = podsOf(place, name);
  const { image, imagePullPolicy } = pod.spec.containers[0];
  return { name: pod.metadata.name as string, image, pulls: imagePullPolicy ?? null };
};
