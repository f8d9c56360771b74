import { RegionWorkError } from '../../driver.ts';
import type { Client } from '../cluster/client.ts';
import { subjectOf, workError } from '../cluster/errors.ts';
import {
  annotations,
  fieldManager,
  type KindName,
  type KubernetesObject,
  labels,
} from '../objects/objects.ts';

/** Refuses to take over an object that somebody else made, or another component has. */
export async function requireOwn(
  client: Client,
  object: KubernetesObject,
  label: string,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const { namespace, name } = object.metadata;
  const current = await client.read(object.kind as KindName, namespace, name, signal).catch((error) => {
    throw workError(error);
  });
  if (current) requireOwner(current, label, object.metadata.labels?.[label]);
  return current;
}

/** Whether the driver has applied an object, also if somebody has removed its labels since. */
const isApplied = ({ annotations: has, managedFields }: KubernetesObject['metadata']) =>
  has?.[annotations.applied] !== undefined &&
  (managedFields?.some(({ manager, operation }) => manager === fieldManager && operation === 'Apply') ??
    false);

/** Whether the label of an object has a value. One without the label that the driver has applied is its own. */
export const isOwn = ({ metadata }: KubernetesObject, label: string, owner: string | undefined): boolean => {
  const has = metadata.labels?.[label];
  return has === owner || (has === undefined && isApplied(metadata));
};

/** Refuses an object that is not the owner's. */
export function requireOwner(object: KubernetesObject, label: string, owner: string | undefined): void {
  if (isOwn(object, label, owner)) return;
  const { kind, metadata } = object;
  const subject = label === labels.component ? `The ${kind} of the component` : subjectOf(object);
  const other = metadata.labels?.[label] === undefined ? 'somebody else' : 'another component';
  const message = `${subject} belongs to ${other}.`;
  throw new RegionWorkError(message, { isPermanent: true });
}
