import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { memoizeByIdentity } from '../kernel/memo.ts';

/** The proxies in front of the server: how many there are, or their addresses and networks (`10.0.0.0/8`). */
export type TrustProxy = number | readonly string[];

/** The longest supported chain of proxies. */
const maxHops = 32;

/** Parses the setting. Undefined if it is invalid. An empty setting trusts no proxies. */
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
 * The IP address of the client: that of the connection, or the one that trusted proxies have added to
 * `X-Forwarded-For`. Entries before the first untrusted address are ignored, because clients can forge them.
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

  /** Peer addresses by connection, because a connection carries many requests. */
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

/** Normalizes an address from a proxy or socket, which can have a port, a zone, or be IPv4-mapped. */
function addressIn(text: string): string | undefined {
  const host = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = host
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
    .toLowerCase();
  return isIP(address) ? address : undefined;
}

/** The network of a client: an IPv4 address, or the /64 of an IPv6 address, which belongs to one client. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  // An embedded IPv4 address replaces the last two groups, never one of the first four.
  const last = groups(tail).flatMap((group) => (group.includes('.') ? [group, group] : [group]));
  const first = groups(head);
  const missing = Array.from({ length: Math.max(8 - first.length - last.length, 0) }, () => '0');
  const all = [...first, ...missing, ...last].slice(0, 4);
  return `${all.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
