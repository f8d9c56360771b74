import { BlockList, isIP } from 'node:net';

/**
 * Addresses outside the public internet.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const reserved4: [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Special ranges within the public IPv6 range. @see https://www.iana.org/assignments/iana-ipv6-special-registry */
const reserved6: [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const reserved = new BlockList();
const public6 = new BlockList();
// Only 2000::/3 is public: loopback, link-local, unique-local, multicast and IPv4-mapped are outside of it.
public6.addSubnet('2000::', 3, 'ipv6');
// The prefix of NAT64, which can reach private IPv4 addresses as well.
public6.addSubnet('64:ff9b::', 96, 'ipv6');
for (const [network, prefix] of reserved4) {
  reserved.addSubnet(network, prefix, 'ipv4');
  reserved.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6');
}
for (const [network, prefix] of reserved6) reserved.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  switch (isIP(bare)) {
    case 4:
      return !reserved.check(bare, 'ipv4');
    case 6:
      return public6.check(bare, 'ipv6') && !reserved.check(bare, 'ipv6');
    default:
      return false;
  }
}
