import type { Protocol } from '../ports.ts';
import type { Value } from '../yaml.ts';
import { isMapping, textIn } from '../yaml.ts';

export interface PublishedPort {
  target: number;
  protocol: string;
  /** The address of the host that it is published at. Undefined for all of them. */
  hostAddress: string | undefined;
  /** The port of the host; empty for one that is chosen. Undefined if it is not published. */
  published: string | undefined;
}

/** As many ports as a component can have. */
const maxPorts = 1_000;

/**
 * The ports of an item of `ports` or `expose`, which can be a range. Undefined if it is none.
 * @see https://github.com/compose-spec/compose-spec/blob/main/05-services.md#ports
 */
export function portsIn(item: Value): PublishedPort[] | undefined {
  if (isMapping(item)) {
    const { target, protocol, app_protocol, host_ip, published } = item;
    return rangeOf(textIn(target) ?? '', {
      protocol: spoken(textIn(app_protocol)) ?? textIn(protocol) ?? 'tcp',
      hostAddress: textIn(host_ip),
      published: textIn(published),
    });
  }
  const match = /^(?:(?:(\[[^\]]*\]|[^:/]*):)?([\d-]*):)?([\d-]+)(?:\/(\w+))?$/.exec(textIn(item) ?? '');
  if (!match) return undefined;
  const [, hostAddress, published, target, protocol = 'tcp'] = match;
  return rangeOf(target!, {
    protocol: protocol.toLowerCase(),
    hostAddress: hostAddress?.replace(/^\[|\]$/g, '') || undefined,
    published,
  });
}

function rangeOf(text: string, port: Omit<PublishedPort, 'target'>): PublishedPort[] | undefined {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (!(first >= 1 && last >= first && last <= 65_535 && last - first < maxPorts)) return undefined;
  return Array.from({ length: last - first + 1 }, (_, index) => ({ target: first + index, ...port }));
}

const spoken = (name: string | undefined) =>
  name && /^(http|http2|h2c|ws)$/.test(name) ? 'http' : name === 'grpc' ? 'grpc' : undefined;

/** A port of the loopback address is for the host alone. */
export const isLoopback = (address: string | undefined): boolean =>
  /^(127\.|localhost$|::1$)/.test(address ?? '');

/** Ports that usually speak HTTP. Compose does not say so. */
const httpPorts = new Set([80, 3000, 4000, 5000, 8000, 8080, 8081, 8888, 9000, 9090, 15672]);

export const protocolOf = (number: number, protocol: string): Protocol =>
  protocol === 'tcp' && httpPorts.has(number) ? 'http' : (protocol as Protocol);
