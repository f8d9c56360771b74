/** The databases, and what else should not be open to everybody, by the ports that they listen on by default. */
const byPort: { readonly [port: number]: string | undefined } = {
  1433: 'SQL Server',
  1521: 'Oracle',
  2379: 'etcd',
  3306: 'MySQL',
  5432: 'PostgreSQL',
  5984: 'CouchDB',
  6379: 'Redis',
  7687: 'Neo4j',
  9042: 'Cassandra',
  9200: 'Elasticsearch',
  11211: 'Memcached',
  26257: 'CockroachDB',
  27017: 'MongoDB',
};

/** By kinds of workloads and names of images. */
const byName: { readonly [name: string]: string | undefined } = {
  cassandra: 'Cassandra',
  clickhouse: 'ClickHouse',
  cockroach: 'CockroachDB',
  couchdb: 'CouchDB',
  elasticsearch: 'Elasticsearch',
  etcd: 'etcd',
  influxdb: 'InfluxDB',
  mariadb: 'MariaDB',
  memcached: 'Memcached',
  mongo: 'MongoDB',
  mongodb: 'MongoDB',
  mysql: 'MySQL',
  neo4j: 'Neo4j',
  opensearch: 'OpenSearch',
  percona: 'Percona',
  postgis: 'PostgreSQL',
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  timescaledb: 'TimescaleDB',
  valkey: 'Valkey',
};

/** `registry.example/library/postgres:16@sha256:…` as `postgres`. */
const nameOfImage = (image: string) => /([^/:@]+)(?::[^/@]*)?(?:@.*)?$/.exec(image)?.[1] ?? '';

interface Exposed {
  protocol: string;
  number: number;
  component: { kind: string | null; image: string };
}

/** The database that the port belongs to, as far as the protocol, the port, the kind and the image tell. */
export function databaseOf({ protocol, number, component: { kind, image } }: Exposed): string | undefined {
  const named = byName[nameOfImage(image)] ?? byName[kind ?? ''] ?? byPort[number];
  return named ?? (protocol.toLowerCase() === 'mysql' ? 'MySQL' : undefined);
}
