import { type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/api.ts';
import { manifestSchema } from '../../../src/domain/manifest/schema-model.ts';

interface Json {
  properties?: Record<string, Json>;
  additionalProperties?: Json;
  items?: Json;
  anyOf?: Json[];
}

const document = manifestSchema() as Json;

/** The alternatives of a schema that are objects. */
const objectsOf = (json: Json): Json[] =>
  json.properties
    ? [json]
    : [json.additionalProperties, json.items, ...(json.anyOf ?? [])].flatMap((each) =>
        each ? objectsOf(each) : [],
      );

/** The fields at a path of the document, such as `components.ports`. */
function fieldsAt(path: string): Set<string> {
  const found = path
    .split('.')
    .filter(Boolean)
    .reduce(
      (objects, key) =>
        objects.flatMap(({ properties }) => (properties?.[key] ? objectsOf(properties[key]) : [])),
      objectsOf(document),
    );
  return new Set(found.flatMap(({ properties }) => Object.keys(properties!)));
}

/** Where the document has what an input sets, and what says the same there under another name, or as a key. */
const places: Record<string, { at: string; as?: Record<string, string> }> = {
  CreateApplicationInput: { at: '', as: { name: 'application' } },
  // Whether it is deployed is what `deploy` of the apply says.
  CreateComponentInput: {
    at: 'components',
    as: { dependencies: 'dependsOn', deploy: 'a key', name: 'a key' },
  },
  SetProbesInput: { at: 'components.probes' },
  SetPlacementInput: { at: 'components.placement' },
  EnvironmentVariableInput: { at: 'components.variables', as: { name: 'a key', scope: 'a key' } },
  AddVolumeInput: { at: 'components.volumes', as: { name: 'a key' } },
  SetSnapshotScheduleInput: { at: 'components.volumes.snapshotSchedule' },
  AddPortInput: { at: 'components.ports', as: { number: 'a key' } },
  CreateScheduleInput: { at: 'components.schedules', as: { name: 'a key' } },
  AddDependencyInput: { at: 'components', as: { dependency: 'dependsOn' } },
  // A route opens its port, unless the port says `isOuter: false`.
  CreateHttpRuleInput: {
    at: 'routes',
    as: { portNumber: 'port', opensPort: 'a key', rewriteRules: 'rewrites' },
  },
  CreateTcpRuleInput: { at: 'routes', as: { portNumber: 'port' } },
};

/** What names the object to change, and what is said of the whole apply. */
const addressing = [
  'application',
  'component',
  'dryRun',
  'expectedPortRevision',
  'expectedRevision',
  'region',
  'team',
  'volume',
];

/** The fields of an input, with those of its inputs. */
function given(name: string): string[] {
  const walk = (type: GraphQLInputObjectType, before: string): string[] =>
    Object.values(type.getFields()).flatMap((field) => {
      const inner = getNamedType(field.type);
      const path = `${before}${field.name}`;
      const hasOwn =
        isInputObjectType(inner) &&
        !inner.name.endsWith('Ref') &&
        !(`${inner.name}` in places) &&
        !['VolumeInput', 'RewriteRuleInput'].includes(inner.name);
      return [path, ...(hasOwn ? walk(inner, `${path}.`) : [])];
    });
  return walk(schema.getType(name) as GraphQLInputObjectType, '').filter(
    (path) => !addressing.includes(path),
  );
}

describe('a manifest', () => {
  it.each(Object.entries(places))('can have every field of %s', (name, { at, as = {} }) => {
    const fields = given(name);
    expect(fields.length).toBeGreaterThan(0);
    const missing = fields.filter((path) => {
      const parts = path.split('.');
      const last = parts.pop()!;
      const known = parts.length === 0 ? (as[last] ?? last) : last;
      return known !== 'a key' && !fieldsAt([at, ...parts].filter(Boolean).join('.')).has(known);
    });
    expect(missing).toEqual([]);
  });
});
