/** Ports of well-known images whose files do not name them, because everybody knows them, and where databases keep their data. */
const known: [image: RegExp, ports: number[], dataPath?: string][] = [
  [/(^|\/)(postgres(ql)?|postgis|pgvector|timescaledb(-ha)?)$/, [5432], '/var/lib/postgresql'],
  [/(^|\/)(mysql|mariadb|percona)$/, [3306], '/var/lib/mysql'],
  [/(^|\/)mongo(db)?$/, [27_017], '/data/db'],
  [/(^|\/)couchdb$/, [5984], '/opt/couchdb/data'],
  [/(^|\/)influxdb$/, [8086], '/var/lib/influxdb'],
  [/(^|\/)neo4j$/, [7687], '/data'],
  [/(^|\/)(redis|redis-stack(-server)?|valkey|keydb|dragonfly)$/, [6379]],
  [/(^|\/)rabbitmq$/, [5672]],
  [/(^|\/)memcached$/, [11_211]],
  [/(^|\/)(elasticsearch|opensearch)$/, [9200]],
  [/(^|\/)clickhouse(-server)?$/, [8123]],
  [/(^|\/)(nginx|nginx-unprivileged|httpd|caddy|traefik)$/, [80]],
  [/(^|\/)kafka$/, [9092]],
  [/(^|\/)zookeeper$/, [2181]],
  [/(^|\/)nats$/, [4222]],
  [/(^|\/)minio$/, [9000]],
  [/(^|\/)meilisearch$/, [7700]],
];

const knownOf = (image: string) => {
  const repository = image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
  return known.find(([pattern]) => pattern.test(repository));
};

export const knownPortsOf = (image: string): number[] => knownOf(image)?.[1] ?? [];

/** Where a database keeps its data: its image declares a volume there. Those of one publisher are elsewhere. */
export const dataPathOf = (image: string): string | undefined =>
  image.includes('bitnami') ? undefined : knownOf(image)?.[2];
