export type Protocol = 'http' | 'grpc' | 'tcp' | 'udp' | 'tcp_udp';

/**
 * The protocol of a port number that has two: a component has one port for it, which serves TCP, UDP or both. `tell` is called for UDP
 * beside HTTP, which gateways serve over TCP alone.
 */
export function mergedProtocol(before: Protocol, next: Protocol, tell: (reason: string) => void): Protocol {
  if (before === next) return before;
  const spoken = (['grpc', 'http'] as const).find((each) => each === before || each === next);
  if (!spoken) return 'tcp_udp';
  if ([before, next].some((each) => each.endsWith('udp')))
    tell('HTTP is served over TCP alone: UDP on its port, such as that of HTTP/3, is left out.');
  return spoken;
}
