/** The name of a component for an image: `registry.example:5000/shop/web:1.0` gives `web`. */
export const nameOfImage = (image: string) =>
  image.trim().replace(/@.*$/, '').replace(/^.*\//, '').replace(/:.*$/, '');

const known: { [port: number]: string | undefined } = { 3306: 'MYSQL' };
/** Ports whose protocol is certainly not HTTP. */
const tcp = [22, 25, 1433, 1521, 2181, 5432, 5672, 6379, 9042, 9092, 11_211, 27_017];

/** The protocol that a port has most likely. */
export const protocolOf = ({ number, protocol }: { number: number; protocol: string }) =>
  protocol === 'udp' ? 'UDP' : (known[number] ?? (tcp.includes(number) ? 'TCP' : 'HTTP'));
