import { isInputObjectType } from 'graphql';
import { schema } from '../../src/api.ts';
import { manifestSchema } from '../../src/domain/manifest/schema-model.ts';

const routes = ['CreateHttpRuleInput', 'UpdateHttpRuleInput', 'manifest'];
const volumes = ['AddVolumeInput', 'UpdateVolumeInput', 'VolumeInput'];
const components = ['CreateComponentInput', 'manifest'];
const of = (inputs: readonly string[], ...fields: string[]) =>
  fields.flatMap((field) => inputs.map((input) => `${input}.${field}`));

/**
 * What a cluster is told of a component and makes names of objects of, with the fields of inputs that set it. A text says why no
 * other object can have the name.
 */
export const namedFields: Record<string, readonly string[] | string> = {
  clusterName: of(components, 'clusterName', 'alias'),
  serviceName: ['ChangePortAliasInput.serviceName', 'manifest.serviceName'],
  'ports.additionalName': ['ChangePortAliasInput.serviceName', 'manifest.ports.serviceName'],
  extendMethod: of([...components, 'UpdateComponentInput'], 'extendMethod'),
  'volumes.name': [...of(volumes, 'name'), 'manifest.volumes'],
  'volumes.type': [...of(volumes, 'type'), 'manifest.volumes.type'],
  'tcpRules.outerPort': of(['CreateTcpRuleInput', 'UpdateTcpRuleInput', 'manifest'], 'endpoint'),
  // Rules of several components that match the same requests share a route: see "a domain that components have".
  'httpRules.domain': of(routes, 'domain'),
  'httpRules.path': of(routes, 'path'),
  'httpRules.header': 'A port has one rule for a domain and path, whatever it matches besides.',
  'httpRules.cookie': 'A port has one rule for a domain and path, whatever it matches besides.',
  'httpRules.certificate.name': 'Only its hash follows the name of the component.',
  'ports.isInner': 'It decides whether there is a Service by the service name.',
  'ports.protocol':
    'It decides whether there is a Service for a TCP rule, which is named after the outer port.',
  'variables.name': 'Only the hash of all follows the name of the component.',
  'variables.value': 'Only the hash of all follows the name of the component.',
  'variables.isSecret': 'Only the hash of all follows the name of the component.',
  'volumes.fileContent': 'Only the hash of all follows the name of the component.',
};

/** The fields of inputs with a row. */
export const namingInputs = [
  ...new Set(Object.values(namedFields).flatMap((inputs) => (typeof inputs === 'string' ? [] : inputs))),
].sort();

/** Fields of the same names that name, or find, something else. */
const others = [
  // Environment variables, regions, teams, stores and what probes ask for.
  ...['AddPortInput.alias', 'ChangePortAliasInput.alias', 'manifest.ports.alias'],
  ...['CreateRegionInput.alias', 'UpdateRegionInput.alias', 'CreateTeamInput.alias', 'UpdateTeamInput.alias'],
  ...['StoreInput.domain', 'HttpProbeInput.path', 'manifest.probes.path'],
  // Where a volume is mounted.
  ...[...of(volumes, 'path'), 'manifest.volumes.path'],
  // The fields of these have rows of their own.
  'CreateComponentInput.volumes',
  // Whether there is data in them.
  'CopyApplicationInput.volumes',
  // Which volume or snapshot is meant. Names of snapshots are followed by those of their claims.
  ...['VolumeAddress.name', ...of(['CreateVolumeSnapshotInput', 'DeleteVolumeSnapshotInput'], 'name')],
  'RestoreVolumeSnapshotInput.name',
];

const words = new Set(namingInputs.map((input) => input.split('.').at(-1)!));
const isNamed = (input: string, field: string) =>
  field === 'name' || field === 'type' ? /volume/i.test(input) : words.has(field);

/** The fields of the inputs of GraphQL and of manifests that are called like those with a row, and are not about something else. */
export function inputsToName(): string[] {
  const found: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInputObjectType(type)) continue;
    for (const field of Object.keys(type.getFields())) {
      if (isNamed(type.name, field)) found.push(`${type.name}.${field}`);
    }
  }
  return [...new Set([...found, ...manifestFields()])].filter((field) => !others.includes(field)).sort();
}

/** Names in manifests that are keys of objects. */
const keyed = ['volumes'];

function manifestFields(): string[] {
  const found: string[] = keyed.map((name) => `manifest.${name}`);
  const walk = (value: unknown, path: readonly string[]): void => {
    if (value === null || typeof value !== 'object') return;
    const { properties, ...rest } = value as { properties?: Record<string, unknown> };
    for (const [field, inner] of Object.entries(properties ?? {})) {
      const at = ['manifest', ...path].join('.');
      if (isNamed(at, field)) found.push(`${at}.${field}`);
      // The one word that tells parts of a component apart from it.
      walk(inner, /^(?:volumes|ports|probes|schedules)$/.test(field) ? [field] : path);
    }
    for (const inner of Object.values(rest)) walk(inner, path);
  };
  walk(manifestSchema(), []);
  return found;
}
