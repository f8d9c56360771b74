/** The name of a component for an image: `registry.example:5000/shop/web:1.0` gives `web`. */
export const nameOfImage = (image: string) =>
  image.trim().replace(/@.*$/, '').replace(/^.*\//, '').replace(/:.*$/, '');

const known: { [port: number]: string | undefined } = { 3306: 'MYSQL' };
/** Ports whose protocol is certainly not HTTP. */
const tcp = [22, 25, 1433, 1521, 2181, 5432, 5672, 6379, 9042, 9092, 11_211, 27_017];

/** Ports of HTTP, beside which UDP is for HTTP/3. */
const http = [80, 443, 8080, 8443];

/** The protocol that each of the ports has most likely. */
export function protocolsOf(exposed: readonly { number: number; protocol: string }[]): [number, string][] {
  const ports = new Map<number, string>();
  for (const port of exposed) {
    if (port.protocol === 'sctp') continue;
    const [before, protocol] = [ports.get(port.number), protocolOf(port)];
    const isBoth = before !== undefined && before !== protocol;
    ports.set(port.number, !isBoth ? protocol : http.includes(port.number) ? 'HTTP' : 'TCP_UDP');
  }
  return [...ports];
}

const protocolOf = ({ number, protocol }: { number: number; protocol: string }) =>
  protocol === 'udp' ? 'UDP' : (known[number] ?? (tcp.includes(number) ? 'TCP' : 'HTTP'));
