import type { Row } from '../../db/tables.ts';
import { groupBy } from '../../kernel/group.ts';
import { imageTag, isSecretName } from '../component/model.ts';
import type { Configuration } from '../gateway-rule/http/model.ts';
import { formatEndpoint } from '../gateway-rule/tcp/endpoint-model.ts';
import {
  autoscalingFields,
  componentFields,
  defaultSourceKind,
  hasData,
  httpFields,
  probesFields,
  scheduleFields,
  shownConfiguration,
  shownFields,
  shownMapped,
  snapshotScheduleFields,
  sourceFields,
  volumeFields,
} from '../plan/fields-model.ts';
import { defaultDomainOf } from '../plan/route-model.ts';
import type { Standing, StandingComponent } from '../plan/standing-reads.ts';
import { defaultAlias } from '../port/model.ts';

/** An object that a document cannot express. */
export interface OmittedObject {
  object: 'COMPONENT' | 'DEPENDENCY' | 'SNAPSHOT_SCHEDULE' | 'TCP_ROUTE';
  component: string;
  name: string;
  reason: string;
}

export type ManifestNames = { team: Pick<Row<'Team'>, 'name'>; region: Pick<Row<'Region'>, 'httpDomain'> };
export type Shown = { [field: string]: unknown };

/** Whether Trellis made the alias. */
const isGenerated = (alias: string) => /^gr[0-9a-f]{6}$/.test(alias);

const isEmpty = (value: object) => Object.keys(value).length === 0;
export const unlessEmpty = (field: string, value: object | unknown[]): Shown =>
  isEmpty(value) ? {} : { [field]: value };

/** A variable in a manifest. Secrets are not in it. */
export function variableEntry({
  name,
  label,
  value,
  isSecret,
  isChangeable,
  portNumber,
}: Pick<
  Row<'EnvironmentVariable'>,
  'name' | 'label' | 'value' | 'isSecret' | 'isChangeable' | 'portNumber'
>) {
  const fields: Shown = {
    ...(isSecret ? { secret: 'preserve' } : { value: value ?? '' }),
    ...(!isSecret && isSecretName(name) && { isSecret: false }),
    ...(label !== name && { label }),
    ...(!isChangeable && { isChangeable }),
    ...(portNumber !== null && { portNumber }),
  };
  return isSecret || Object.keys(fields).length > 1 ? fields : fields.value;
}

function volumeEntry(volume: Row<'Volume'>, schedules: StandingComponent['snapshotSchedules']): Shown {
  const schedule = schedules.get(volume.id);
  return {
    ...shownFields(volumeFields, volume),
    ...(schedule && hasData(volume) && { snapshotSchedule: shownFields(snapshotScheduleFields, schedule) }),
  };
}

/** The snapshot schedules of volumes that have no data any more, for which none could be set. */
export const withoutDataIn = ({ row, volumes, snapshotSchedules }: StandingComponent): OmittedObject[] =>
  volumes.flatMap((volume) => {
    if (hasData(volume) || !snapshotSchedules.has(volume.id)) return [];
    const { name, type } = volume;
    const reason = `A volume of the type ${type} has no data to keep.`;
    return { object: 'SNAPSHOT_SCHEDULE' as const, component: row.name, name, reason };
  });

function portEntry({ row, tcp }: StandingComponent, port: Row<'Port'>): Shown {
  const hasTcpRoute = tcp.some((rule) => rule.portId === port.id && !rule.isDefault);
  return {
    protocol: port.protocol,
    ...(port.alias !== defaultAlias(row.alias, port.number) && { alias: port.alias }),
    ...(port.isInner && { isInner: true }),
    // A TCP route opens its port unless the document says otherwise.
    ...((port.isOuter || hasTcpRoute) && { isOuter: port.isOuter }),
    ...(port.additionalName !== null && { serviceName: port.additionalName }),
  };
}

export function componentEntry(component: StandingComponent, dependsOn: (string | object)[]): Shown {
  const { row, ports, volumes, snapshotSchedules, schedules } = component;
  const variables = groupBy(component.variables, ({ scope }) => scope);
  const named = (scope: string) =>
    Object.fromEntries((variables.get(scope) ?? []).map((each) => [each.name, variableEntry(each)]));
  const isDefaultVersion = row.version === (imageTag(row.image) ?? 'latest');
  const isDefaultKind =
    row.sourceKind === defaultSourceKind(row) || row.sourceKind === 'market' || !row.sourceKind;
  const source = {
    ...(!isDefaultKind && { kind: row.sourceKind!.toUpperCase() }),
    ...shownFields(sourceFields, row),
  };
  return {
    image: row.image,
    ...(!isGenerated(row.alias) && { alias: row.alias }),
    ...(row.serviceName !== null && row.serviceName !== row.alias && { serviceName: row.serviceName }),
    ...(row.clusterName !== row.alias && { clusterName: row.clusterName }),
    ...(!isDefaultVersion && { version: row.version }),
    ...shownFields(
      componentFields.filter(({ field }) => field !== 'replicas' || row.maxReplicas === null),
      row,
    ),
    ...unlessEmpty('autoscaling', shownFields(autoscalingFields, row)),
    ...unlessEmpty('source', source),
    ...unlessEmpty('probes', shownFields(probesFields, row)),
    ...unlessEmpty('variables', named('environment')),
    ...unlessEmpty('connectionVariables', named('connection')),
    ...unlessEmpty(
      'volumes',
      Object.fromEntries(volumes.map((each) => [each.name, volumeEntry(each, snapshotSchedules)])),
    ),
    ...unlessEmpty(
      'ports',
      Object.fromEntries(ports.map((port) => [String(port.number), portEntry(component, port)])),
    ),
    ...unlessEmpty(
      'schedules',
      Object.fromEntries(schedules.map((each) => [each.name, shownFields(scheduleFields, each)])),
    ),
    ...unlessEmpty('dependsOn', dependsOn),
  };
}

/** The settings of a route that are not its address. */
const routeSettings = (rule: Row<'HttpRule'>, certificates: Standing['certificates']): Shown => ({
  ...(rule.certificateId !== null &&
    certificates.has(rule.certificateId) && { certificate: certificates.get(rule.certificateId) }),
  ...shownFields(httpFields, rule),
  ...unlessEmpty('configuration', shownConfiguration(JSON.parse(rule.configuration) as Configuration)),
});

/** The routes of a component. A default rule without settings of its own comes with its port. */
export function routesOf(
  component: StandingComponent,
  { certificates }: Standing,
  place: ManifestNames,
  omitted: OmittedObject[],
): Shown[] {
  const { row, http, tcp } = component;
  const numbers = new Map(component.ports.map(({ id, number }) => [id, number]));
  const own = groupBy(http, ({ portId }) => portId);
  const target = (rule: { portId: number }) => ({ component: row.name, port: numbers.get(rule.portId)! });
  const routes: Shown[] = [];
  for (const rules of own.values()) {
    const generated = rules.filter(
      (rule) =>
        rule.isDefault &&
        rule.domain === defaultDomainOf({ ...place, component: row, port: numbers.get(rule.portId)! }),
    );
    // A rule that a manifest has written stays in it.
    const isPlain = (rule: Row<'HttpRule'>) =>
      rule.manifestId === null && rule.path === '/' && isEmpty(routeSettings(rule, certificates));
    const comesWithPort = generated.length === 1 && isPlain(generated[0]!);
    for (const rule of rules) {
      const isGeneratedRule = generated.includes(rule);
      if (isGeneratedRule && comesWithPort) continue;
      routes.push({
        ...(!isGeneratedRule && { domain: rule.domain }),
        ...((rule.path !== '/' || isGeneratedRule) && { path: rule.path }),
        ...target(rule),
        ...routeSettings(rule, certificates),
      });
    }
  }
  for (const rule of tcp) {
    const extensions = JSON.parse(rule.extensions) as unknown[];
    const mappedAddress = shownMapped(rule);
    if (rule.isDefault) {
      if (extensions.length > 0 || mappedAddress !== null) {
        const name = formatEndpoint(rule.address, rule.portNumber);
        const reason = 'Its endpoint is assigned by the region, so its settings cannot be written.';
        omitted.push({ object: 'TCP_ROUTE', component: row.name, name, reason });
      }
      continue;
    }
    routes.push({
      endpoint: formatEndpoint(rule.address, rule.portNumber),
      ...target(rule),
      ...(mappedAddress !== null && { mappedAddress }),
      ...unlessEmpty('extensions', extensions),
    });
  }
  return routes;
}
