import { isObject, type Leave, list, type Yaml } from './file.ts';
import { knownPortsOf } from './values.ts';

/** Ports that usually speak HTTP. Compose does not say so. */
const httpPorts = new Set([80, 3000, 4000, 5000, 8000, 8080, 8081, 8888, 9000, 9090, 15672]);

/** The ports of a service: the published ones are open to the outside. */
export function portsOf(service: Yaml, image: string, leave: Leave): Record<string, object> {
  const ports: Record<number, { protocol: string; isInner: boolean; isOuter?: boolean }> = {};
  const add = (number: number, protocol: string, isOuter: boolean) => {
    const earlier = ports[number];
    const spoken = protocol === 'tcp' && httpPorts.has(number) ? 'http' : protocol;
    ports[number] = {
      protocol: earlier?.protocol ?? spoken,
      isInner: true,
      ...((isOuter || earlier?.isOuter) && { isOuter: true }),
    };
  };
  for (const each of list(service.ports)) {
    for (const { target, protocol, isOuter } of publishedPorts(each)) {
      if (target === undefined) leave('LOST', 'ports', 'Is no port, and was left out.', JSON.stringify(each));
      else add(target, protocol, isOuter);
    }
  }
  for (const each of list(service.expose)) {
    for (const { target, protocol } of publishedPorts(String(each)))
      if (target !== undefined) add(target, protocol, false);
  }
  if (Object.keys(ports).length === 0) for (const number of knownPortsOf(image)) add(number, 'tcp', false);
  return ports;
}

interface Published {
  target: number | undefined;
  protocol: string;
  isOuter: boolean;
}

function publishedPorts(each: Yaml): Published[] {
  if (isObject(each)) {
    const protocol = each.app_protocol === 'http' ? 'http' : (each.protocol ?? 'tcp');
    return [{ target: portNumber(each.target), protocol, isOuter: each.published !== undefined }];
  }
  const match = /^(?:(.+):)?(\d+)(?:-(\d+))?(?:\/(tcp|udp))?$/.exec(String(each));
  if (!match) return [{ target: undefined, protocol: 'tcp', isOuter: false }];
  const [, , from, to = from, protocol = 'tcp'] = match;
  const count = Math.min(Number(to) - Number(from) + 1, 100);
  // A port of the loopback address is for the host alone.
  const isOuter = !/^(127\.|localhost|\[?::1)/.test(match[1] ?? '');
  return Array.from({ length: Math.max(count, 1) }, (_, index) => ({
    target: portNumber(Number(from) + index),
    protocol,
    isOuter,
  }));
}

const portNumber = (value: unknown) => {
  const number = Number(value);
  return Number.isInteger(number) && number >= 1 && number <= 65_535 ? number : undefined;
};
