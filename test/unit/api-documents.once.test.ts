import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { apiDocuments } from '../../src/commands/api-documents.ts';
import { unnamedChanges, unnamedDeprecations } from '../support/changelog.ts';
import { elementsOf, removableAt, removableFrom } from '../support/deprecations.ts';
import { breakingChanges } from '../support/openapi-changes.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const changelog = read('docs/CHANGELOG.md');
const current = apiDocuments(read('docs/reference.md'));

const today = new Date().toISOString().slice(0, 10);

/** The breaking changes, without the removal of what was deprecated in time. */
async function graphqlChanges(before: string, after: string, date = today) {
  const released = buildSchema(before);
  const removable = removableAt(released, date);
  const changes = await diff(released, buildSchema(after));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .filter(({ type, path }) => !(type.endsWith('_REMOVED') && removable.has(path!)))
    .map(({ path, message }) => ({ path: path!, message }));
}
const restChanges = (before: string, after: string) => breakingChanges(JSON.parse(before), JSON.parse(after));

describe('the API documents', () => {
  it.each(Object.entries(current))('%s is what `npm run schema` writes', (name, text) => {
    expect(read(name)).toBe(text);
  });

  it.each([
    ['schema.graphql', graphqlChanges],
    ['openapi.json', restChanges],
  ] as const)(
    '%s breaks nothing since the last release that the changelog does not name',
    async (name, changes) => {
      const found = await changes(read(`docs/api/${name}`), current[name]);
      expect(unnamedChanges(changelog, found)).toEqual([]);
    },
  );

  it('has the last release of the changelog as its version', () => {
    const [, released] = /^## \[(\d[^\]]*)\]/m.exec(changelog)!;
    expect(JSON.parse(read('package.json')).version).toBe(released);
  });
});

const naming = (path: string) =>
  `# Changelog\n\n## [Unreleased]\n\n### Breaking\n\n- \`${path}\` is gone.\n\n### Added\n\n- \`Port.number\`\n\n## [0.1.0]\n`;

describe('the check for breaking changes of the schema', () => {
  const before = 'type Query { port(number: Int): Port }\ntype Port { number: Int!, alias: String }';
  const removed = before.replace(', alias: String', '');

  it('fails when a field is removed', async () => {
    expect(unnamedChanges(naming('Port.number'), await graphqlChanges(before, removed))).toEqual([
      expect.objectContaining({ path: 'Port.alias' }),
    ]);
  });

  it('passes when the changelog names the field as breaking', async () => {
    expect(unnamedChanges(naming('Port.alias'), await graphqlChanges(before, removed))).toEqual([]);
  });

  it('fails when the changelog names the field elsewhere', async () => {
    const changes = await graphqlChanges(before, before.replace('number: Int!, ', ''));
    expect(unnamedChanges(naming('Port.alias'), changes)).toHaveLength(1);
    expect(
      unnamedChanges('## [Unreleased]\n\n## [0.1.0]\n\n### Breaking\n\n`Port.number`', changes),
    ).toHaveLength(1);
  });

  it('passes when a field is added or described', async () => {
    const added = before
      .replace('alias', '"The alias." alias')
      .replace('String', 'String, isOuter: Boolean!');
    expect(await graphqlChanges(before, added)).toEqual([]);
  });
});

describe('what is deprecated', () => {
  const all = elementsOf(buildSchema(current['schema.graphql'])).filter(({ reason }) => reason != null);

  it('has a reason with the date from which it may be removed', () => {
    expect(all.filter(({ reason }) => removableFrom(reason) === undefined)).toEqual([]);
  });

  it('is in the changelog', () => {
    expect(
      unnamedDeprecations(
        changelog,
        all.map(({ coordinate }) => coordinate),
      ),
    ).toEqual([]);
  });

  it('would be missed in the changelog', () => {
    const text = '## [Unreleased]\n\n### Deprecated\n\n- `A.a`\n\n### Added\n\n- `B.b`\n';
    const older = '\n## [0.1.0]\n\n### Deprecated\n\n- `Query.a(b:)`\n';
    expect(unnamedDeprecations(text + older, ['A.a', 'B.b', 'Query.a(b:)', 'Query.a'])).toEqual([
      'B.b',
      'Query.a',
    ]);
  });
});

describe('the check for what is removed', () => {
  const reason = '"Use `b`. May be removed from 2026-03-01."';
  const before = `
    type Query {
      a(old: Old @deprecated(reason: ${reason}), new: Int): Int
      b: Kind
      c: Gone @deprecated(reason: ${reason})
      d(filter: Filter): Kept
    }
    enum Kind { NEW OTHER OLD @deprecated(reason: ${reason}) }
    input Old { inner: Inner, self: Old }
    input Inner { a: Int }
    input Filter { a: Int, old: Int @deprecated(reason: ${reason}) }
    type Gone { a: Int, kept: Kept }
    type Kept { a: Int, undated: Int @deprecated(reason: "Use a.") }
  `;
  const removed = before
    .replace(/old: Old @deprecated[^)]*\), /, '')
    .replace(/c: Gone @deprecated[^)]*\)/, '')
    .replace(/ OLD @deprecated[^)]*\)/, '')
    .replace(/, old: Int @deprecated[^)]*\)/, '')
    .replace(/(input Old|input Inner|type Gone) .*/g, '');

  it('allows the removal of what was deprecated, with the types that nothing else uses, from its date', async () => {
    expect(await graphqlChanges(before, removed, '2026-03-01')).toEqual([]);
  });

  it('allows none of it before', async () => {
    const found = (await graphqlChanges(before, removed, '2026-02-28')).map(({ path }) => path).sort();
    expect(found).toEqual(['Filter.old', 'Gone', 'Inner', 'Kind.OLD', 'Old', 'Query.a.old', 'Query.c']);
  });

  it.each([
    ['an argument that is not deprecated', '(new: Int)', 'Query.a.new'],
    ['a field without a date', /, undated: Int @deprecated[^)]*\)/, 'Kept.undated'],
    ['a field of a type that stays', / d\(filter.*/, 'Query.d'],
    ['a value that is not deprecated', /(?<=enum Kind { )NEW/, 'Kind.NEW'],
  ])('does not allow the removal of %s', async (_, text, path) => {
    const found = await graphqlChanges(before, removed.replace(text, ''), '2026-03-01');
    expect(found.map((change) => change.path)).toContain(path);
  });
});

describe('the check for breaking changes of the OpenAPI document', () => {
  const before = read('docs/api/openapi.json');
  /** The changes that are found after an edit, by path. */
  const changedPaths = (edit: (document: any) => void) => {
    const document = JSON.parse(before);
    edit(document);
    return breakingChanges(JSON.parse(before), document).map(({ path }) => path);
  };
  const ports = '/teams/{team_id}/regions/{region_name}/apps/{app_id}/services/{service_id}/ports';

  it('finds nothing when nothing changed', () => {
    expect(changedPaths(() => {})).toEqual([]);
  });

  it('fails when a field of an answer is removed, and passes when the changelog names it', () => {
    const document = JSON.parse(before);
    delete document.components.schemas.ComponentPort.properties.port_alias;
    const changes = breakingChanges(JSON.parse(before), document);
    expect(unnamedChanges(naming('ComponentPort.protocol'), changes)).toEqual([
      { path: 'ComponentPort.port_alias', message: 'field removed' },
    ]);
    expect(unnamedChanges(naming('ComponentPort.port_alias'), changes)).toEqual([]);
  });

  it.each<[string, string[], (document: any) => void]>([
    ['a path is removed', ['GET /teams'], ({ paths }) => delete paths['/teams']],
    ['an operation is removed', [`POST ${ports}`], ({ paths }) => delete paths[ports].post],
    [
      'a parameter is removed',
      ['GET /teams?query'],
      ({ paths }) => {
        const { get } = paths['/teams'];
        get.parameters = get.parameters.filter(({ name }: { name?: string }) => name !== 'query');
      },
    ],
    [
      'a parameter is required',
      ['GET /teams?query'],
      ({ paths }) => {
        for (const parameter of paths['/teams'].get.parameters)
          if (parameter.name === 'query') parameter.required = true;
      },
    ],
    [
      'a field of a body is removed',
      ['NewPort.port_alias'],
      ({ components }) => delete components.schemas.NewPort.properties.port_alias,
    ],
    [
      'a field of a body is required',
      ['NewPort.port_alias'],
      ({ components }) => components.schemas.NewPort.required.push('port_alias'),
    ],
    [
      'a value is refused',
      ['NewPort.protocol'],
      ({ components }) => components.schemas.NewPort.properties.protocol.enum.pop(),
    ],
    [
      'an action is refused',
      ['PortChange.action'],
      ({ components }) => components.schemas.PortChange.oneOf[0].properties.action.enum.shift(),
    ],
    [
      'a length is limited',
      ['GET /teams?query'],
      ({ paths }) => {
        for (const parameter of paths['/teams'].get.parameters) {
          if (parameter.name === 'query') parameter.schema.maxLength = 1;
        }
      },
    ],
    [
      'the type of a field changes',
      ['ComponentPort.container_port'],
      ({ components }) => {
        components.schemas.ComponentPort.properties.container_port = { type: 'string' };
      },
    ],
    [
      'a field may be null',
      ['ComponentPort.protocol'],
      ({ components }) => {
        const { properties } = components.schemas.ComponentPort;
        properties.protocol = { anyOf: [properties.protocol, { type: 'null' }] };
      },
    ],
    [
      'a field may be absent',
      ['ComponentPort.protocol'],
      ({ components }) => {
        const port = components.schemas.ComponentPort;
        port.required = port.required.filter((name: string) => name !== 'protocol');
      },
    ],
    [
      'a response is removed',
      [`GET ${ports}`],
      ({ paths }) => {
        const { responses } = paths[ports].get;
        responses[204] = responses[200];
        delete responses[200];
      },
    ],
  ])('fails when %s', (_, paths, edit) => {
    expect(changedPaths(edit)).toEqual(paths);
  });

  it('passes when something optional is added', () => {
    expect(
      changedPaths(({ paths, components }) => {
        paths['/ports'] = { get: paths['/teams'].get };
        paths['/teams'].get.parameters.push({ name: 'more', in: 'query', schema: { type: 'string' } });
        components.schemas.NewPort.properties.more = { type: 'string' };
        components.schemas.ComponentPort.properties.more = { type: 'string' };
        components.schemas.ComponentPort.required.push('more');
      }),
    ).toEqual([]);
  });
});
