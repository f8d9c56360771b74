import { BlockList, isIP } from 'node:net';

/** Loopback, link-local and unspecified addresses, and those of metadata services that give credentials to machines. */
const local = new BlockList();
const local4: [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
];
for (const [network, prefix] of local4) {
  local.addSubnet(network, prefix, 'ipv4');
  // As an IPv4-mapped address, and by NAT64.
  for (const before of ['::ffff:', '64:ff9b::']) local.addSubnet(before + network, 96 + prefix, 'ipv6');
}
const local6: [network: string, prefix: number][] = [
  ['::', 127],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
];
for (const [network, prefix] of local6) local.addSubnet(network, prefix, 'ipv6');

/** Whether an address is that of the machine or of something that only the machine should reach. */
export function isLocalAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  const family = isIP(bare);
  return family !== 0 && local.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}
