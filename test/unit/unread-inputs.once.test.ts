import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { onlyStored } from '../../src/kernel/validate.ts';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Code that takes values from one place to another: inputs, views, columns, templates and commands. */
const passing = [
  /\/generated\/|^(console|commands|mcp|rest)\/|^db\/tables\.ts$/,
  /(^|[/-])(graphql|rest|model)\.ts$/,
  /^drivers\/region\/desired\.ts$|\/desired\.ts$/,
  /^drivers\/app-store\/template|^domain\/app-store\/(publish\/form|merge\/|install\/)|^domain\/(manifest\/(?!operations)|plan\/|namespace\/|copy\/)/,
];

/** A property that gets the value of another: `image: input.image ?? before.image,`. */
const passed = /^\s*\w+: (?:\w+\()?\w+\??\.\w+(?:, \w+\.\w+\))?(?: \?\? [^\n]*)?,?$/gm;
/** A line that only lists names, such as `const { note, logo } = input;` or `| 'note'`. */
const listed =
  /^\s*(?:const )?[{[] ?[\w, .:]+ ?[}\]] = [^\n?=]*$|^\s*\| '\w+'$|^\s*const (?:data|values) = \{[^}]*\};$/gm;
/** The names of columns that are set as they are given. */
const named =
  /(?:const \w*[cC]olumns = |\bpatched\([\s\S]{0,120}?)\[(?:\s*'\w+',?)+\s*\](?:,\s*\[(?:\s*'\w+',?)+\s*\])?/g;
const comments = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;

const actingFiles = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !passing.some((pattern) => pattern.test(path)),
);

const acting = new Set([
  // Lists are sorted by it, in the orders of a model.
  'orderIndex',
  ...actingFiles.flatMap((path) => {
    const text = readFileSync(`${src}/${path}`, 'utf8');
    return (
      text
        .replace(comments, '')
        .replace(named, '')
        .replace(passed, '')
        .replace(listed, '')
        .match(/\b[A-Za-z_]\w*\b/g) ?? []
    );
  }),
]);

/** Fields whose columns, or what is made of them, have other names. */
const otherNames: Record<string, string> = {
  opensWebhooks: 'openWebhooks',
  isUpgradedAfterBuild: 'buildUpgrade',
  domainCookie: 'cookie',
  domainHeader: 'header',
  pathRewrite: 'rewrites',
  // The cluster reads the column that they are stored in.
  rewriteRules: 'rewrites',
  replacement: 'rewrites',
  versionDescription: 'description',
};

/** All input types of mutations, except references. */
function inputTypes(): GraphQLInputObjectType[] {
  const found = new Set<GraphQLInputObjectType>();
  const visit = (type: GraphQLInputObjectType) => {
    if (found.has(type) || type.name.endsWith('Ref')) return;
    found.add(type);
    for (const field of Object.values(type.getFields())) {
      const of = getNamedType(field.type);
      if (isInputObjectType(of)) visit(of);
    }
  };
  for (const { args } of Object.values(schema.getMutationType()!.getFields())) {
    for (const arg of args) visit(getNamedType(arg.type) as GraphQLInputObjectType);
  }
  return [...found];
}

/** Fields that no code acts on either, although code acts on others of the same name, or only says that they have no effect. */
const sharedNames = [
  /^(Create|Update)ComponentInput\.(gpuMemoryMiB|isInner)$/,
  /^(Create|Update)RegionInput\.websocketUrl$/,
];

const fields = inputTypes().flatMap((type) =>
  Object.values(type.getFields()).map(({ name, description }) => ({
    coordinate: `${type.name}.${name}`,
    name,
    description: description!,
  })),
);

describe('an input', () => {
  it('that no code acts on says so', () => {
    const unread = fields.filter(
      ({ coordinate, name }) =>
        !acting.has(otherNames[name] ?? name) || sharedNames.some((pattern) => pattern.test(coordinate)),
    );
    const silent = unread.filter(({ description }) => !description.includes(onlyStored));
    expect(silent.map(({ coordinate }) => coordinate)).toEqual([]);
    // Names that are acted on would make the test find nothing.
    expect(unread.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['governanceMode', 'sharePolicy', 'gitUrl', 'autoSslConfig']),
    );
  });

  it('that code acts on does not say that it is only stored', () => {
    const stored = fields.filter(({ description }) => description.includes(onlyStored));
    const wrong = stored.filter(
      ({ coordinate, name }) =>
        acting.has(otherNames[name] ?? name) && !sharedNames.some((pattern) => pattern.test(coordinate)),
    );
    expect(wrong.map(({ coordinate }) => coordinate)).toEqual([]);
  });
});

describe('the documents', () => {
  it.each(['README.md', 'openapi.json', 'docs/reference.md', 'docs/architecture.md'])(
    'introduce the contract where %s first names it, and do not promise all of GraphQL as REST',
    (path) => {
      const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').replace(/\\n|\s+/g, ' ');
      expect(text).not.toMatch(/same operations as the GraphQL API/);
      const first = text.search(/\bcontract\b/);
      expect(text.slice(first, first + 120)).toMatch(/a REST interface/);
    },
  );
});
