import { kindNamed } from './kinds.ts';
import { type Cause, invalidValue } from './status.ts';
import type { Store } from './store.ts';

/** Gives a Service its address and node ports, in place. */
export function allocate(store: Store, service: any, before: any): Cause[] {
  const { spec, metadata } = service;
  const others = store
    .list(kindNamed('Service'))
    .filter((each) => each.metadata.name !== metadata.name || each.metadata.namespace !== metadata.namespace);
  const causes: Cause[] = [];
  if (spec.type === 'ExternalName') {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  } else {
    spec.clusterIP ??= before?.spec.clusterIP ?? `10.0.${1 + (store.version >> 8)}.${store.version & 255}`;
    spec.clusterIPs = [spec.clusterIP];
    const isFixed = spec.clusterIP !== 'None' && !before;
    const at = (why: string) =>
      invalidValue(
        'spec.clusterIPs',
        `[]string{"${spec.clusterIP}"}`,
        `failed to allocate IP ${spec.clusterIP}: ${why}`,
      );
    if (isFixed && !spec.clusterIP.startsWith('10.0.')) {
      causes.push(
        at(
          `the provided IP (${spec.clusterIP}) is not in the valid range. The range of valid IPs is 10.0.0.0/16`,
        ),
      );
    } else if (
      isFixed &&
      (spec.clusterIP === '10.0.0.1' || others.some((each) => each.spec.clusterIP === spec.clusterIP))
    ) {
      causes.push(at('provided IP is already allocated'));
    }
  }
  const hasNodePorts = ['NodePort', 'LoadBalancer'].includes(spec.type);
  const taken = new Set(
    others.flatMap((each) => (each.spec.ports ?? []).map(({ nodePort }: any) => nodePort)),
  );
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (!hasNodePorts) {
      if (before && before.spec.type !== 'ClusterIP') delete port.nodePort;
      continue;
    }
    const known = before?.spec.ports?.find(
      (each: any) => each.port === port.port && each.protocol === port.protocol,
    );
    port.nodePort ??= known?.nodePort;
    const field = `spec.ports[${index}].nodePort`;
    if (port.nodePort === undefined) {
      let free = 30_000 + (store.version % 1_000);
      while (taken.has(free)) free++;
      port.nodePort = free;
    } else if (port.nodePort < 30_000 || port.nodePort > 32_767) {
      causes.push(
        invalidValue(
          field,
          String(port.nodePort),
          'provided port is not in the valid range. The range of valid ports is 30000-32767',
        ),
      );
    } else if (taken.has(port.nodePort)) {
      causes.push(invalidValue(field, String(port.nodePort), 'provided port is already allocated'));
    }
    taken.add(port.nodePort);
  }
  return causes;
}
