import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Row } from '../../../db/tables.ts';
import { isNodePort } from '../../../drivers/region/node-ports.ts';
import { boundedString } from '../../../kernel/validate.ts';

/** The TCP ports of a region for default rules, assigned from the lowest. Lower ports require a specific address. */
export const tcpPortRange = { first: 30_000, last: 65_535 } as const;

/** The addresses that listen on all addresses of a region. */
export const anyAddress = '0.0.0.0';
export const anyAddresses: readonly string[] = [anyAddress, '::'];
export const isAnyAddress = (address: string) => anyAddresses.includes(address);

type Endpoint = Pick<Row<'TcpRule'>, 'address' | 'portNumber'>;

/** Whether two rules of a region cannot both have their endpoints. A cluster serves a port of its nodes on all addresses. */
export const isSameEndpoint = (
  { driver }: Pick<Row<'Region'>, 'driver'>,
  one: Endpoint,
  other: Endpoint,
): boolean =>
  one.portNumber === other.portNumber &&
  (one.address === other.address ||
    isAnyAddress(one.address) ||
    isAnyAddress(other.address) ||
    (driver === 'kubernetes' && isNodePort(one.portNumber)));

/** `ip:port`, an IPv6 address in brackets → its parts, the address in its canonical form. */
export function parseEndpoint(endpoint: string): { address: string; portNumber: number } | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([1-9]\d{0,4})$/.exec(endpoint);
  if (!match) return undefined;
  const [, six, four, port] = match;
  const portNumber = Number(port);
  if (portNumber > 65_535) return undefined;
  const address = canonicalAddress(six ?? four!);
  // Brackets are only allowed around IPv6 addresses.
  return address === undefined || (six !== undefined && !isIPv6(six)) ? undefined : { address, portNumber };
}

/** The canonical form of an IP address, or undefined if it is invalid. */
export function canonicalAddress(address: string): string | undefined {
  if (isIP(address) === 4) return address;
  if (!isIPv6(address) || address.includes('%')) return undefined;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  return ipv4Of(canonical) ?? canonical;
}

/** The IPv4 address in an IPv4-mapped IPv6 address in canonical form (RFC 4291, 2.5.5.2). */
function ipv4Of(address: string): string | undefined {
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!match) return undefined;
  const halves = match.slice(1).map((half) => Number.parseInt(half, 16));
  return halves.flatMap((half) => [half >> 8, half & 255]).join('.');
}

export const formatEndpoint = (address: string, portNumber: number) =>
  `${address.includes(':') ? `[${address}]` : address}:${portNumber}`;

/** Addresses that a gateway cannot serve clients on. @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const unusable = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  unusable.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  // Unspecified, loopback, and IPv4 addresses in the form that RFC 4291 deprecates.
  ['::', 96],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  unusable.addSubnet(network, prefix, 'ipv6');
}

/** The problem of a TCP rule's endpoint. Undefined if it is valid. */
function faultOf(endpoint: string): string | undefined {
  const parsed = parseEndpoint(endpoint);
  if (!parsed) return 'Must be `ip:port`, with IPv6 addresses in brackets';
  const { address, portNumber } = parsed;
  if (isAnyAddress(address)) {
    return portNumber < tcpPortRange.first
      ? `Must have a specific IP address, or a port of ${tcpPortRange.first} or higher`
      : undefined;
  }
  return unusable.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
    ? 'Must not be a loopback, link-local, multicast or reserved address'
    : undefined;
}

export const endpoint = boundedString(64).superRefine((value, context) => {
  const message = faultOf(value);
  if (message) context.addIssue({ code: 'custom', message });
});

/** A mapped address. Any address and port is valid, because it is only displayed. */
export const mappedAddress = boundedString(64).refine(
  (value) => parseEndpoint(value) !== undefined,
  'Must be `ip:port`, with IPv6 addresses in brackets',
);
