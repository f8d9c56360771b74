import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { memoizeByIdentity } from '../kernel/memo.ts';

/** The proxies in front of the server: how many there are, or their addresses and networks (`10.0.0.0/8`). */
export type TrustProxy = number | readonly string[];

/** No chain of proxies is longer. */
const maxHops = 32;

/** A setting → the proxies that it names; nothing when it names none. An empty setting trusts nobody. */
export function parseTrustProxy(text: string): TrustProxy | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text) <= maxHops ? Number(text) : undefined;
  const networks = text.split(',').flatMap((each) => each.trim() || []);
  return networks.every(isNetwork) ? networks : undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv6(address) ? 128 : 32));
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Tells the address of the client of a request: that of the connection, or the one that trusted proxies have added to
 * `X-Forwarded-For`. What stands before the first address that is not trusted could have been sent by anybody.
 */
export function createClientAddress(trust: TrustProxy): (req: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const network of typeof trust === 'number' ? [] : trust) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(prefix), familyOf(address));
  }
  const isTrusted = (address: string, hop: number) =>
    typeof trust === 'number' ? hop < trust : trusted.check(address, familyOf(address));
  const trustsNobody = typeof trust === 'number' ? trust === 0 : trust.length === 0;

  /** The other end of each connection: it carries many requests. */
  const peerOf = memoizeByIdentity((socket: Socket) => addressIn(socket.remoteAddress ?? '') ?? '');

  return (req) => {
    let address = peerOf(req.socket);
    const forwarded = req.headers['x-forwarded-for'];
    if (trustsNobody || forwarded === undefined) return address;
    const hops = String(forwarded).split(',').slice(-maxHops).reverse();
    for (const [hop, text] of hops.entries()) {
      const before = isTrusted(address, hop) ? addressIn(text.trim()) : undefined;
      if (before === undefined) break;
      address = before;
    }
    return address;
  };
}

/** An address as proxies and sockets write it: with a port, a zone, or as IPv4 inside of IPv6. */
function addressIn(text: string): string | undefined {
  const host = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = host
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
    .toLowerCase();
  return isIP(address) ? address : undefined;
}

/** Whom an address stands for: an IPv4 address for itself, an IPv6 address for its /64, of which one client has all. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  // An IPv4 address at the end takes the room of two groups, which are never among the first four.
  const last = groups(tail).flatMap((group) => (group.includes('.') ? [group, group] : [group]));
  const first = groups(head);
  const missing = Array.from({ length: Math.max(8 - first.length - last.length, 0) }, () => '0');
  const all = [...first, ...missing, ...last].slice(0, 4);
  return `${all.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
