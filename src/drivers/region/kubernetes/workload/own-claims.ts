import type { DesiredComponent } from '../../desired.ts';
import { claimNameOf } from '../../object-names.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { isOfComponent, labels } from '../objects/objects.ts';
import { requireOwner } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import { claimsNamed, isData } from './workload.ts';

/** The most claims that are read by their names, rather than listed. */
const maxNamed = 10;

/** Refuses claims of others, which the controller of a StatefulSet would give to the instances by their names. */
export async function requireOwnClaims(scope: ClusterScope, component: DesiredComponent): Promise<void> {
  const { region, connection, signal } = scope;
  const data = component.volumes.filter((volume) => isData(volume) && !volume.isShared);
  if (component.extendMethod !== 'state' || data.length === 0) return;
  const namespace = namespaceIn(region, component);
  const { cache, client } = connection;
  const kind = 'PersistentVolumeClaim';
  const isKnown = (name: string) => isOfComponent(cache.find(kind, namespace, name), component.id);
  const ordinals = Array.from({ length: component.replicas }, (_, ordinal) => String(ordinal));
  const names = data
    .flatMap((volume) => ordinals.map((ordinal) => claimNameOf(component, volume).replace(/#$/, ordinal)))
    .filter((name) => !isKnown(name));
  if (names.length <= maxNamed) {
    for (const name of names) {
      const claim = await client.read(kind, namespace, name, signal);
      if (claim) requireOwner(claim, labels.component, component.id);
    }
    return;
  }
  const isOf = data.map(({ name }) => claimsNamed(component, name));
  const { items } = await client.list(kind, signal, { namespace });
  for (const claim of items) {
    if (isOf.some((has) => has(claim.metadata.name))) requireOwner(claim, labels.component, component.id);
  }
}
