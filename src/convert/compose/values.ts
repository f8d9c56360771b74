import { quotedWords } from '../../formats/command-words.ts';

/** Ports of well-known images whose files do not name them, because everybody knows them. */
const knownPorts: [image: RegExp, ports: number[]][] = [
  [/(^|\/)(postgres|postgis|pgvector|timescaledb)\b/, [5432]],
  [/(^|\/)(mysql|mariadb|percona)\b/, [3306]],
  [/(^|\/)(redis|valkey|keydb|dragonfly)\b/, [6379]],
  [/(^|\/)mongo(db)?\b/, [27_017]],
  [/(^|\/)rabbitmq\b/, [5672]],
  [/(^|\/)memcached\b/, [11_211]],
  [/(^|\/)(elasticsearch|opensearch)\b/, [9200]],
  [/(^|\/)(nginx|httpd|caddy|traefik)\b/, [80]],
  [/(^|\/)kafka\b/, [9092]],
  [/(^|\/)zookeeper\b/, [2181]],
  [/(^|\/)nats\b/, [4222]],
  [/(^|\/)minio\b/, [9000]],
];

export const knownPortsOf = (image: string): number[] =>
  knownPorts.find(([pattern]) => pattern.test(image))?.[1] ?? [];

export function millicores(value: unknown): number | undefined {
  const cpus = Number(value);
  return value === undefined || !Number.isFinite(cpus) ? undefined : Math.round(cpus * 1000);
}

const units: Record<string, number> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** A size such as `512m` in MiB. */
export function mebibytes(value: unknown): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([bkmg]?)i?b?$/i.exec(String(value ?? ''));
  if (!match) return undefined;
  const bytes = Number(match[1]) * units[match[2]!.toLowerCase() || 'b']!;
  return Math.max(1, Math.round(bytes / 2 ** 20));
}

/** A duration such as `1m30s` in seconds. */
export function secondsOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (/^\d+$/.test(String(value))) return Number(value);
  let seconds = 0;
  const scales: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001, us: 0.000_001 };
  for (const [, number, unit] of String(value).matchAll(/(\d+(?:\.\d+)?)(h|ms|us|m|s)/g)) {
    seconds += Number(number) * scales[unit!]!;
  }
  return seconds;
}

/** A command as one text. Words of a list are quoted where a shell would split them. */
export function commandOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return quotedWords(value.map(String)) || undefined;
  return value === undefined || value === null || value === '' ? undefined : String(value).trim();
}

/** The words of a check, without the doubled dollars of a Compose file. */
export const words = (command: string[]): string[] => command.map((word) => word.trim());
