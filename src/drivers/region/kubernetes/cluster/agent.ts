import { lookup } from 'node:dns';
import { Agent, type AgentOptions } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { RegionWorkError } from '../../driver.ts';

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

/** The address that a name resolves to is not revealed. */
const refusal = () =>
  new RegionWorkError(
    "The address of the region's cluster is not allowed: it is a loopback or link-local address.",
  );

/** Looks a name up and refuses local addresses, so that the name cannot mean another address when it is connected to. */
const checked: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, options, (error, found, family) => {
    const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
    callback(error ?? (addresses.some(isLocalAddress) ? refusal() : null), found, family);
  });

/** Opens connections to clusters. Where local addresses are not allowed, the address that is connected to is checked. */
export class ClusterAgent extends Agent {
  readonly #allowsLocal: boolean;

  constructor(options: AgentOptions, allowsLocal: boolean) {
    super({ ...options, ...(!allowsLocal && { lookup: checked }) });
    this.#allowsLocal = allowsLocal;
  }

  override createConnection(
    ...[options, callback]: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    // Addresses are not looked up.
    if (!this.#allowsLocal && isLocalAddress(String(options.host ?? ''))) {
      process.nextTick(() => callback?.(refusal(), undefined as never));
      return undefined;
    }
    return super.createConnection(options, callback);
  }
}
