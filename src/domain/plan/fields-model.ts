import type { Row } from '../../db/tables.ts';
import { maxDeadlineSeconds, type Probe, shutdownDefaults } from '../../drivers/region/health.ts';
import { anywhere, type Placement } from '../../drivers/region/placement.ts';
import { type ProbeInput, probeDefaults, probeOf } from '../../drivers/region/probe-model.ts';
import { proxyDefaults } from '../../drivers/region/proxy-defaults.ts';
import { defaultIsolation, describedApplication } from '../application/model.ts';
import { previewColumnOf, shownPreviews } from '../application/preview-model.ts';
import { autoscalingColumn } from '../component/autoscaling/model.ts';
import { timeoutDefaults } from '../component/command-model.ts';
import { probeColumn } from '../component/health/model.ts';
import { limitColumns, unlimited } from '../component/limits-model.ts';
import { componentDefaults } from '../component/model.ts';
import { placementColumnOf, placementOf } from '../component/placement/model.ts';
import { tidyCron } from '../component/timing/cron-model.ts';
import { defaultTimeZone } from '../component/timing/model.ts';
import { type Configuration, configurationDefaults } from '../gateway-rule/http/model.ts';
import { formatEndpoint, parseEndpoint } from '../gateway-rule/tcp/endpoint-model.ts';
import { defaults } from '../run/schedules/model.ts';

/** How a field of the document is stored: in a column, which has a default. */
export interface FieldOf<R> {
  field: string;
  column: keyof R & string;
  initial: unknown;
  /** The stored value of what the document has. */
  store?: (value: never) => unknown;
  /** The form of a stored value in the document. */
  show?: (stored: never) => unknown;
  /** Exports have it even if it is the default. */
  isAlwaysShown?: boolean;
}

const lower = (value: string) => value.toLowerCase();
const upper = (value: string) => value.toUpperCase();
const closedSet = { store: lower, show: upper };
const json = {
  store: (value: unknown) => JSON.stringify(value),
  show: (stored: string) => JSON.parse(stored),
};
const plain = <R>(field: keyof R & string, initial: unknown): FieldOf<R> => ({
  field,
  column: field,
  initial,
});

const applicationDefaults: { readonly [field: string]: unknown } = {
  isolation: defaultIsolation,
  orderIndex: 0,
  isDefault: false,
};
export const applicationFields: readonly FieldOf<Row<'Application'>>[] = describedApplication
  .keyof()
  .options.map((field) => ({
    ...plain<Row<'Application'>>(field, applicationDefaults[field] ?? null),
    ...(field === 'isolation' && closedSet),
    ...(field === 'previews' && { store: previewColumnOf, show: shownPreviews }),
  }));

/** A stored placement as the document has it, without the values that are defaults. */
function shownPlacement(stored: string): object {
  const { tolerations, spread, ...rest } = JSON.parse(stored) as Placement;
  const shown = {
    ...rest,
    tolerations: tolerations.map(({ operator, effect, ...given }) =>
      withoutDefaults(
        { ...given, operator: upper(operator), effect: effect && upper(effect) },
        { key: null, operator: 'EQUAL', value: operator === 'equal' ? '' : null, effect: null },
      ),
    ),
    spread: spread && upper(spread),
  };
  return withoutDefaults(shown, { ...anywhere });
}

/** The columns that people read and no cluster needs to know. */
export const namingColumns: ReadonlySet<string> = new Set(['description', 'manifestId']);

const resource = (field: 'replicas' | 'cpuMillicores' | 'memoryMiB'): FieldOf<Row<'Component'>> => ({
  ...plain(field, componentDefaults[field]),
  isAlwaysShown: true,
});

export const componentFields: readonly FieldOf<Row<'Component'>>[] = [
  plain('description', null),
  { ...plain<Row<'Component'>>('category', 'application'), ...closedSet },
  plain('entrypoint', null),
  plain('command', null),
  resource('replicas'),
  resource('cpuMillicores'),
  resource('memoryMiB'),
  ...limitColumns.map((column) => ({
    ...plain<Row<'Component'>>(column, null),
    store: (given: number | 'none') => (given === 'none' ? unlimited : given),
    show: (stored: number) => (stored === unlimited ? 'none' : stored),
  })),
  plain('gpuMemoryMiB', 0),
  { ...plain<Row<'Component'>>('extendMethod', 'stateless'), ...closedSet },
  { field: 'kind', column: 'componentType', initial: null },
  plain('isInner', false),
  { field: 'opensWebhooks', column: 'openWebhooks', initial: false },
  { field: 'isUpgradedAfterBuild', column: 'buildUpgrade', initial: true },
  {
    ...plain<Row<'Component'>>('placement', null),
    // Fields that are left out of it are not set: the whole of it is managed.
    store: (given: Parameters<typeof placementOf>[0]) => placementColumnOf(placementOf(given)),
    show: shownPlacement,
  },
  plain('checksPorts', true),
  plain('preStopSeconds', shutdownDefaults.preStopSeconds),
  plain('terminationGracePeriodSeconds', shutdownDefaults.terminationGracePeriodSeconds),
  plain('deployDeadlineSeconds', maxDeadlineSeconds),
  { ...plain<Row<'Component'>>('preDeployCommand', null), ...json },
  plain('preDeployTimeoutSeconds', timeoutDefaults.seconds),
  plain('needsRoot', componentDefaults.needsRoot),
];

/** The fields of `source`. Its kind has no fixed default. */
export const sourceFields: readonly FieldOf<Row<'Component'>>[] = [
  plain('codeFrom', null),
  plain('gitUrl', null),
  plain('gitProjectId', 0),
  plain('codeVersion', null),
  plain('language', null),
  plain('serverType', 'git'),
  plain('oauthServiceId', null),
  plain('containerCommand', null),
];

export const defaultSourceKind = ({ gitUrl }: Pick<Row<'Component'>, 'gitUrl'>) =>
  gitUrl ? 'source_code' : 'container_run';

const lowerScheme = (probe: ProbeInput): ProbeInput =>
  probe.http
    ? { ...probe, http: { ...probe.http, scheme: probe.http.scheme && (lower(probe.http.scheme) as 'http') } }
    : probe;

/** A stored probe as the document has it, without the values that are defaults. */
function shownProbe(stored: string): object {
  const { check, ...timing } = JSON.parse(stored) as Probe;
  const { kind, ...fields } = check;
  const shown =
    check.kind === 'command'
      ? check.command
      : withoutDefaults(fields, { path: '/', scheme: 'http', headers: [], service: '' });
  return { [kind]: shown, ...withoutDefaults(timing, probeDefaults) };
}

const withoutDefaults = (values: object, defaults: { [field: string]: unknown }) =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(defaults[field]),
    ),
  );

export const probesFields: readonly FieldOf<Row<'Component'>>[] = Object.entries(probeColumn).map(
  ([field, column]) => ({
    field,
    column,
    initial: null,
    store: (probe: ProbeInput) => JSON.stringify(probeOf(lowerScheme(probe))),
    show: shownProbe,
  }),
);

/** The fields of `autoscaling`. Without one, all of them are null. */
export const autoscalingFields: readonly FieldOf<Row<'Component'>>[] = Object.entries(autoscalingColumn).map(
  ([field, column]) => ({ field, column, initial: null }),
);

export const volumeFields: readonly FieldOf<Row<'Volume'>>[] = [
  { ...plain<Row<'Volume'>>('path', undefined), isAlwaysShown: true },
  { ...plain<Row<'Volume'>>('type', undefined), isAlwaysShown: true },
  plain('fileContent', ''),
  plain('capacityGiB', null),
  plain('accessMode', null),
  plain('sharePolicy', null),
  plain('isShared', false),
];

/** The fields of the `snapshotSchedule` of a volume, which is managed as a whole. */
export const snapshotScheduleFields: readonly FieldOf<
  Pick<Row<'SnapshotSchedule'>, 'cron' | 'timeZone' | 'keep'>
>[] = [
  { field: 'cron', column: 'cron', initial: undefined, store: tidyCron, isAlwaysShown: true },
  plain('timeZone', defaultTimeZone),
  { field: 'keep', column: 'keep', initial: undefined, isAlwaysShown: true },
];

/** The types of volumes whose data is in the document, or is lost with an instance anyway. */
const withoutData: ReadonlySet<string> = new Set(['config-file', 'memoryfs']);
export const hasData = ({ type }: Pick<Row<'Volume'>, 'type'>) => !withoutData.has(type);

export const scheduleFields: readonly FieldOf<Row<'Schedule'>>[] = [
  { ...plain<Row<'Schedule'>>('cron', undefined), store: tidyCron, isAlwaysShown: true },
  plain('timeZone', defaults.timeZone),
  { ...plain<Row<'Schedule'>>('command', undefined), ...json, isAlwaysShown: true },
  { ...plain<Row<'Schedule'>>('concurrency', defaults.concurrency), ...closedSet },
  plain('timeoutSeconds', timeoutDefaults.seconds),
  plain('isPaused', false),
];

export const httpFields: readonly FieldOf<Row<'HttpRule'>>[] = [
  { field: 'domainCookie', column: 'cookie', initial: '' },
  { field: 'domainHeader', column: 'header', initial: '' },
  plain('weight', 100),
  plain('pathRewrite', false),
  plain('rewrites', '[]'),
  { ...plain<Row<'HttpRule'>>('extensions', '[]'), ...json },
  plain('autoSsl', false),
  plain('autoSslConfig', ''),
];

/** The settings of a rule after those of the document, of which null stands for the default. */
export const configurationAfter = (
  before: Configuration,
  given: { [field in keyof Configuration]?: unknown } | null | undefined,
): Configuration => {
  if (given === null) return configurationDefaults;
  const after: { [field: string]: unknown } = { ...before };
  for (const field of Object.keys(configurationDefaults) as (keyof Configuration)[]) {
    const value = given?.[field];
    if (value !== undefined) after[field] = value ?? configurationDefaults[field];
  }
  return after as Configuration;
};

export const shownConfiguration = (stored: Configuration) =>
  withoutDefaults(stored, { ...proxyDefaults, setHeaders: [] });

export const tcpFields: readonly FieldOf<Row<'TcpRule'>>[] = [
  { ...plain<Row<'TcpRule'>>('extensions', '[]'), ...json },
];

/** The columns of a mapped address, and what the document has for them. */
export function mappedColumns(endpoint: string | null): Pick<Row<'TcpRule'>, 'mappedIp' | 'mappedPort'> {
  const parsed = endpoint === null ? undefined : parseEndpoint(endpoint);
  return { mappedIp: parsed?.address ?? null, mappedPort: parsed?.portNumber ?? null };
}
export const shownMapped = ({ mappedIp, mappedPort }: Pick<Row<'TcpRule'>, 'mappedIp' | 'mappedPort'>) =>
  mappedIp === null || mappedPort === null ? null : formatEndpoint(mappedIp, mappedPort);

/** The stored values of the fields that an entry has. Null stands for the default, absent fields are left out. */
export function storedFields<R>(fields: readonly FieldOf<R>[], entry: object): Partial<R> {
  const stored: { [column: string]: unknown } = {};
  for (const { field, column, initial, store } of fields) {
    const value = (entry as { [field: string]: unknown })[field];
    if (value === undefined) continue;
    stored[column] = value === null ? initial : store ? store(value as never) : value;
  }
  return stored as Partial<R>;
}

/** The values of all columns, for a new object. */
export const newFields = <R>(fields: readonly FieldOf<R>[], entry: object): Partial<R> => ({
  ...(Object.fromEntries(fields.map(({ column, initial }) => [column, initial])) as Partial<R>),
  ...storedFields(fields, entry),
});

/** The entry of a row in the document, without fields that have their default. */
export function shownFields<R extends object>(
  fields: readonly FieldOf<R>[],
  row: R,
): { [field: string]: unknown } {
  const shown: { [field: string]: unknown } = {};
  for (const { field, column, initial, show, isAlwaysShown } of fields) {
    const value = row[column] as unknown;
    if (value === null || (value === initial && !isAlwaysShown)) continue;
    shown[field] = show ? show(value as never) : value;
  }
  return shown;
}

/** How a stored value is shown in a plan. */
export function shownValue<R>({ show }: FieldOf<R>, stored: unknown): unknown {
  return stored === null || stored === undefined ? null : show ? show(stored as never) : stored;
}
