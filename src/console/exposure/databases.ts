/** The databases, and what else should not be open to everybody: the port of each by default, and the names of its images. */
const databases: readonly (readonly [title: string, port: number | undefined, ...names: string[]])[] = [
  ['Cassandra', 9042, 'cassandra'],
  ['ClickHouse', undefined, 'clickhouse'],
  ['CockroachDB', 26257, 'cockroach'],
  ['CouchDB', 5984, 'couchdb'],
  ['Elasticsearch', 9200, 'elasticsearch'],
  ['etcd', 2379, 'etcd'],
  ['InfluxDB', undefined, 'influxdb'],
  ['MariaDB', undefined, 'mariadb'],
  ['Memcached', 11211, 'memcached'],
  ['MongoDB', 27017, 'mongo', 'mongodb'],
  ['MySQL', 3306, 'mysql'],
  ['Neo4j', 7687, 'neo4j'],
  ['OpenSearch', undefined, 'opensearch'],
  ['Oracle', 1521],
  ['Percona', undefined, 'percona'],
  ['PostgreSQL', 5432, 'postgis', 'postgres', 'postgresql'],
  ['Redis', 6379, 'redis'],
  ['SQL Server', 1433],
  ['TimescaleDB', undefined, 'timescaledb'],
  ['Valkey', undefined, 'valkey'],
];

const named = (name: string) => databases.find(([, , ...names]) => names.includes(name))?.[0];

/** `registry.example/library/postgres:16@sha256:…` as `postgres`. */
const nameOfImage = (image: string) => /([^/:@]+)(?::[^/@]*)?(?:@.*)?$/.exec(image)?.[1] ?? '';

interface Exposed {
  protocol: string;
  number: number;
  component: { kind: string | null; image: string };
}

/** The database that the port belongs to, as far as the protocol, the port, the kind and the image tell. */
export function databaseOf({ protocol, number, component: { kind, image } }: Exposed): string | undefined {
  const listening = databases.find(([, port]) => port === number)?.[0];
  const title = named(nameOfImage(image)) ?? named(kind ?? '') ?? listening;
  return title ?? (protocol.toLowerCase() === 'mysql' ? 'MySQL' : undefined);
}
