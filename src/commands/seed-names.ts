/** The words in the names of the synthetic data, by index. */

const domains = [
  'payments',
  'checkout',
  'catalogue',
  'logistics',
  'billing',
  'identity',
  'insights',
  'loyalty',
  'pricing',
  'support',
  'mobile',
  'partners',
  'streaming',
  'bookings',
  'claims',
  'fleet',
  'hiring',
  'risk',
  'search',
  'studio',
  'energy',
  'grocery',
  'travel',
  'lending',
];
const places = [
  'north',
  'south',
  'east',
  'west',
  'oslo',
  'lisbon',
  'vienna',
  'nairobi',
  'osaka',
  'quito',
  'austin',
  'perth',
  'krakow',
  'tallinn',
  'porto',
  'lyon',
  'bergen',
  'galway',
  'izmir',
  'cusco',
];
const subjects = [
  'Order',
  'Invoice',
  'Customer',
  'Product',
  'Stock',
  'Shipment',
  'Refund',
  'Basket',
  'Coupon',
  'Tariff',
  'Session',
  'Report',
  'Contract',
  'Payment',
  'Review',
  'Message',
];
const activities = ['Service', 'Portal', 'Pipeline', 'Console', 'Exchange', 'Archive'];

/** The role, the image and the port of a component. */
const kinds = [
  ['web', 'nginx:1.29.3', 'http', 8080],
  ['api', 'registry.trellis.example/api:2.14.0', 'http', 8000],
  ['worker', 'registry.trellis.example/worker:2.14.0', 'http', 9000],
  ['cache', 'redis:8.2.3', 'tcp', 6379],
  ['db', 'mysql:8.4.7', 'mysql', 3306],
  ['gateway', 'envoyproxy/envoy:v1.36.2', 'http', 10_000],
  ['ledger', 'registry.trellis.example/ledger:1.8.3', 'grpc', 50_051],
  ['queue', 'rabbitmq:4.2.0', 'tcp', 5672],
  ['search', 'opensearchproject/opensearch:3.3.2', 'http', 9200],
  ['mailer', 'registry.trellis.example/mailer:1.3.1', 'tcp', 2525],
  ['scheduler', 'registry.trellis.example/scheduler:3.0.5', 'grpc', 50_052],
  ['metrics', 'prom/statsd-exporter:v0.28.0', 'udp', 9125],
] as const;

/** The names in turn. When they are used up, they repeat with a number appended. */
const inTurn = (names: readonly string[], index: number, joint: string) => {
  const round = Math.floor(index / names.length);
  return `${names[index % names.length]}${round ? `${joint}${round + 1}` : ''}`;
};

const product = (first: readonly string[], second: readonly string[], joint: string) =>
  second.flatMap((end) => first.map((start) => `${start}${joint}${end}`));

const teamNames = product(domains, places, '-');
const applicationNames = product(subjects, activities, ' ');
const kindNames = kinds.map(([name]) => name);

export const regionNames = ['seed-eu', 'seed-us', 'seed-ap'];

/** `payments-north`: a DNS label. */
export const teamName = (index: number) => inTurn(teamNames, index, '-');

/** `Order Service` */
export const applicationName = (index: number) => inTurn(applicationNames, index, ' ');

/** `web`, with its image and port. */
export function componentKind(index: number) {
  const [, image, protocol, number] = kinds[index % kinds.length]!;
  return { name: inTurn(kindNames, index, '-'), image, protocol, number };
}
