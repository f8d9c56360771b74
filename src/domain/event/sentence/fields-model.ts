import type { FieldChange } from './model.ts';

/** Fields by which Trellis counts or finds, or that repeat another one. They say nothing to people. */
const silent = new Set([
  'id',
  'key',
  'generation',
  'updateVersion',
  'hasUndeployedChanges',
  'deployState',
  'folded',
  'openedAt',
  'creatorId',
  'enterpriseId',
  'teamId',
  'applicationId',
  'componentId',
  'manifestId',
  'templates',
  'planDigest',
  'documentDigest',
]);

/** What pages call fields whose names are not words. */
const labels: Readonly<Record<string, string>> = {
  actions: 'permissions',
  checksPorts: 'port checks',
  codeFrom: 'source',
  cpuLimitMillicores: 'CPU limit',
  cpuMillicores: 'CPU',
  cpuQuotaMillicores: 'CPU quota',
  cron: 'cron expression',
  deployDeadlineSeconds: 'deploy deadline',
  extendMethod: 'workload',
  gpuMemoryMiB: 'GPU memory',
  httpDomain: 'HTTP domain',
  livenessProbe: 'liveness check',
  maxReplicas: 'maximum instances',
  memoryLimitMiB: 'memory limit',
  memoryMiB: 'memory',
  memoryQuotaMiB: 'memory quota',
  minReplicas: 'minimum instances',
  needsRoot: 'runs as root',
  nickName: 'name',
  openWebhooks: 'deploy hooks',
  preStopSeconds: 'delay before stop',
  readinessProbe: 'readiness check',
  replicas: 'instances',
  startupProbe: 'startup check',
  targetCpuPercent: 'CPU target',
  targetMemoryPercent: 'memory target',
  tcpDomain: 'TCP domain',
  terminationGracePeriodSeconds: 'grace period',
  timeoutSeconds: 'time limit',
};

/** Fields that say whether something is open. */
const openings: Readonly<Record<string, string>> = { isInner: 'inside', isOuter: 'to the outside' };

const units: readonly (readonly [end: RegExp, unit: string])[] = [
  [/Millicores$/, 'millicores'],
  [/MiB$/, 'MiB'],
  [/GiB$/, 'GiB'],
  [/Seconds$/, 's'],
  [/Percent$/, '%'],
];

const [maxFields, maxValue] = [6, 60];

/** `isPaused` as `paused`. A path of a manifest, such as `probes.readiness`, stays one. */
function labelOf(field: string): string {
  const [, name] = /^(?:environment|connection) (.+)$/.exec(field) ?? [];
  if (name !== undefined) return `variable ${name}`;
  if (field in labels) return labels[field]!;
  if (/[.\s]/.test(field)) return field;
  return field
    .replace(/^(?:is|sealed)(?=[A-Z])/, '')
    .replace(/(Id|Seconds|MiB|GiB)$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/\b(?:url|http|tcp|cpu|ip|ca)\b/g, (word) => word.toUpperCase());
}

/** A value in words. Undefined for one that is secret, has several lines or is no plain value. */
function wordOf(field: string, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean' || value === 'true' || value === 'false')
    return String(value) === 'true' ? 'yes' : 'no';
  if (Array.isArray(value))
    return value.every((item) => typeof item === 'string') ? cut(value.join(' ')) : undefined;
  if (typeof value === 'object') return undefined;
  const text = String(value);
  if (text === '[redacted]' || /^[[{]|\n/.test(text)) return undefined;
  const [, unit] = units.find(([end]) => end.test(field)) ?? [];
  return unit && /^\d+$/.test(text) ? `${text} ${unit}` : cut(text);
}

const cut = (text: string) => (text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text);

/** The tags of two images of one repository, or their whole references. */
function imagesOf(before: unknown, after: unknown): [string, string] {
  const [one, other] = [String(before), String(after)];
  const repositoryOf = (image: string) => image.replace(/(?::[^:/@]+)?(?:@.*)?$/, '');
  const repository = repositoryOf(one);
  const isSame = repository === repositoryOf(other) && one.length > repository.length + 1;
  return isSame && other.length > repository.length + 1
    ? [one.slice(repository.length + 1), other.slice(repository.length + 1)]
    : [one, other];
}

function limitPhrase(label: string, before: unknown, after: unknown): string {
  const unit = label.startsWith('CPU') ? 'millicores' : 'MiB';
  const wordFor = (value: unknown) => {
    if (value === null) return 'as requested';
    const text = String(value);
    return text === '0' ? 'none' : /^\d+$/.test(text) ? `${text} ${unit}` : text;
  };
  const [old, now] = [before, after].map(wordFor);
  return `${label} ${old} → ${now}`;
}

/** `image 0.4.8 → 0.5.0`. */
function fieldPhrase(
  change: FieldChange,
  nameOf?: (field: string, id: unknown) => string | undefined,
): string {
  const { field } = change;
  const opens = openings[field];
  if (opens) return String(change.after) === 'true' ? `opens ${opens}` : `closes ${opens}`;
  const label = labelOf(field);
  // A limit of a component is stored as 0 for none, and as null for that of its request.
  const isLimit = /^(?:cpuLimitMillicores|memoryLimitMiB)$/.test(field);
  if (isLimit) return limitPhrase(label, change.before, change.after);
  // An id says nothing: its object is named, or only told to be another one.
  const isId = /Id$/.test(field);
  const named = (value: unknown) =>
    value === null ? null : (nameOf?.(field, value) ?? (isId ? '[redacted]' : value));
  let [before, after] = [named(change.before), named(change.after)];
  if (field === 'image' && before && after) [before, after] = imagesOf(before, after);
  const [old, now] = [wordOf(field, before), wordOf(field, after)];
  const isNone = (value: unknown) => value === null || value === undefined || value === '';
  if (isNone(after)) return `${label} removed`;
  if (now === undefined) return `${label} ${isNone(before) ? 'set' : 'changed'}`;
  if (isNone(before) || old === undefined) return `${label} set to ${now}`;
  return `${label} ${old} → ${now}`;
}

/** The fields that changed, in words. Empty if there is none that says something. */
export function fieldsPhrase(
  fields: readonly FieldChange[],
  nameOf?: (field: string, id: unknown) => string | undefined,
): string {
  const after = new Map(fields.map((change) => [change.field, change.after]));
  // The version of a component is the tag of its image, unless somebody says otherwise.
  const isTold = ({ field, after: value }: FieldChange) =>
    !silent.has(field) && !(field === 'version' && String(after.get('image') ?? '').endsWith(`:${value}`));
  const told = fields.filter(isTold);
  const phrases = told.slice(0, maxFields).map((change) => fieldPhrase(change, nameOf));
  const more = told.length - phrases.length;
  return [...phrases, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
