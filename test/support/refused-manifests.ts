import { type Place, refsOf } from './fixtures.ts';

const bytes = 1_048_576;
const lines = (line: (index: number) => string, before = '') => {
  const parts = [before];
  for (let [size, index] = [before.length, 0]; size < bytes - 200; index++) {
    parts.push(line(index));
    size += parts.at(-1)!.length;
  }
  return parts.join('');
};

/** Documents of the greatest length that are refused, by what they have too many of. */
export const refusedManifests: { [what: string]: () => string } = {
  'brackets without an end': () => '['.repeat(bytes),
  'nested brackets': () => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'nested lists': () => '- '.repeat(bytes / 2),
  'one long text': () => `application: a\nnote: ${'x'.repeat(bytes - 40)}\n`,
  'many unknown fields': () => lines((index) => `field${index}: value\n`),
  'many keys with one name': () => lines(() => 'note: a\n'),
  'many aliases': () => lines(() => '  - *a\n', 'x: &a [a]\ny:\n'),
  'many anchors': () => lines((index) => `a${index}: &b${index} x\n`),
  'many documents': () => lines(() => '---\na: b\n'),
  'many components with mistakes': () =>
    lines((index) => `  c${index}: { immage: x, replicas: -1 }\n`, 'application: a\ncomponents:\n'),
  'a component with many wrong variables': () =>
    lines(
      (index) => `      V${index}: [x]\n`,
      'application: a\ncomponents:\n  web:\n    image: a\n    variables:\n',
    ),
  'many wrong routes': () =>
    lines((index) => `  - { component: web, port: 0, domain: d${index} }\n`, 'application: a\nroutes:\n'),
  'many comments': () => lines(() => '# comment\n'),
  'JSON with many mistakes': () =>
    `{"application":"a","components":{${Array.from({ length: 450 }, (_, index) => `"c${index}":{"x":${'['.repeat(20)}${']'.repeat(20)},"y":"${'y'.repeat(1_000)}"}`).join(',')}}}`,
};

const aliases = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join('');

/** Documents that are refused because their aliases expand to too many characters or, else, too many values. */
export const expandingManifests: { [what: string]: { document: () => string; isTooLong: boolean } } = {
  'a file of 330,000 characters in 33 volumes': {
    document: () =>
      `application: a\nx: &x ${'x'.repeat(330_000)}\ncomponents:\n  web:\n    image: a\n    volumes:\n${aliases(33, (index) => `      v${index}: { path: /v${index}, fileContent: *x }\n`)}`,
    isTooLong: true,
  },
  '90 texts of 330,000 characters': {
    document: () => `x: &x ${'x'.repeat(330_000)}\n${aliases(90, (index) => `y${index}: *x\n`)}`,
    isTooLong: true,
  },
  '61 times 98,000 empty maps': {
    document: () => `x: &x [${'{},'.repeat(98_000)}]\n${aliases(61, (index) => `y${index}: *x\n`)}`,
    isTooLong: false,
  },
  'maps of maps of maps of maps': {
    document: () =>
      `a: &a {${aliases(50, (index) => `k${index}: ${'v'.repeat(300)},`)}}\nb: &b [${'*a,'.repeat(3)}]\nc: &c [${'*b,'.repeat(3)}]\nd: [*c, *c, *c]\n`,
    isTooLong: true,
  },
  'keys of 50,000 characters': {
    document: () =>
      `a: &a { ${'k'.repeat(1_000)}: 1, b: { ${'l'.repeat(49_000)}: 1 } }\n${aliases(20, (index) => `y${index}: *a\n`)}`,
    isTooLong: true,
  },
};

/** The body of a request that plans a document so many times. */
export const planOf = (place: Place, document: string, count = 1) =>
  JSON.stringify({
    query: `query ($team: TeamRef!, $region: RegionRef!, $document: String!) {
        ${aliases(count, (index) => `plan${index}: planManifest(team: $team, region: $region, document: $document) { digest }\n`)}
      }`,
    variables: { ...refsOf(place), document },
  });

/** The body of a request that applies a document. */
export const applyOf = (place: Place, document: string) =>
  JSON.stringify({
    query: 'mutation ($input: ApplyManifestInput!) { applyManifest(input: $input) { __typename } }',
    variables: { input: { ...refsOf(place), document } },
  });
