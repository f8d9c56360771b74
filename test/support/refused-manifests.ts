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

/** The body of a request that plans a document. */
export const planOf = (place: Place, document: string) =>
  JSON.stringify({
    query: `query ($team: TeamRef!, $region: RegionRef!, $document: String!) {
        planManifest(team: $team, region: $region, document: $document) { digest }
      }`,
    variables: { ...refsOf(place), document },
  });
