import { beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../../support/certificates.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { apply, tryApply, tryPlan } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';
import { expectUnchanged } from '../../support/unchanged.ts';

const trellis = useTrellis({ bodyLimitBytes: 8 * 1_048_576 });
let place: Place;
let name: string;
beforeAll(async () => {
  place = await trellis.createPlace();
  name = unique('shop');
  const document = `application: ${name}\ncomponents:\n  web:\n    image: nginx:1.29\n    ports: { 80: { protocol: http }, 90: { protocol: tcp } }\n`;
  await apply(trellis, place, document);
});

const million = 1_048_576;
const web = (rest: string) => `application: ${name}\ncomponents:\n  web:\n${rest}`;
const routes = (route: string) => `application: ${name}\nroutes:\n  - ${route}\n`;

/** Documents with what is told of each: path, line and column, and words of the message. */
const documents: { [what: string]: [document: () => string, path: string, place: string, words: string] } = {
  'an empty text': [() => '', '', '1:1', 'Must be an object'],
  'a text': [() => 'shop', '', '1:1', 'Must be an object'],
  'a list': [() => '- a\n', '', '1:1', 'Must be an object'],
  'broken YAML': [() => 'application: [a\n', '', '2:1', 'Flow sequence'],
  'two documents': [() => 'application: a\n---\napplication: b\n', '', '2:1', 'multiple documents'],
  'a duplicate key': [() => 'application: a\nnote: b\nnote: c\n', '', '3:1', 'Duplicate key note'],
  'a port named twice': [
    () => web('    ports:\n      80: {}\n      "80": {}\n'),
    '',
    '6:7',
    'Duplicate key 80',
  ],
  'a merge key': [() => 'application: &a a\n<<: { note: *a }\n', '<<', '2:1', 'Unknown field'],
  'a tag': [() => 'application: !secret a\n', '', '1:14', 'Unresolved tag'],
  'a binary': [() => 'application: !!binary aGk=\n', '', '1:14', 'Unresolved tag'],
  'an unknown alias': [() => 'application: *a\n', '', '1:14', 'Unknown anchor a'],
  'an anchor that contains itself': [() => 'application: &a\n  b: *a\n', '', '2:6', 'contains itself'],
  'a bomb': [
    () =>
      `a: &a [x, x]\n${[...'bcdefghijklmnopqrstuvwxyz'].map((each, index) => `${each}: &${each} [*${'abcdefghijklmnopqrstuvwxyz'[index]}, *${'abcdefghijklmnopqrstuvwxyz'[index]}]`).join('\n')}\n`,
    '',
    '4:8',
    'at most 100 aliases',
  ],
  NUL: [() => 'application: a\nnote: "a\0b"\n', '', '2:9', 'Control characters'],
  'an escaped NUL': [() => 'application: a\nnote: "a\\0b"\n', 'note', '2:7', 'Control characters'],
  'brackets without an end': [() => '['.repeat(million), '', '1:51', 'nested too deeply'],
  'nested brackets': [
    () => '['.repeat(million / 2) + ']'.repeat(million / 2),
    '',
    '1:51',
    'nested too deeply',
  ],
  'nested lists': [() => '- '.repeat(million / 2), '', '1:200001', 'at most 100000 values'],
  'many keys': [
    () =>
      Array.from({ length: 80_000 }, (_, index) => `k${index}: v`)
        .join('\n')
        .slice(0, million),
    '',
    '50001:1',
    'at most 100000 values',
  ],
  'more than 1 MiB': [
    () => `application: a\nnote: ${'x'.repeat(million)}\n`,
    '',
    'none',
    'at most 1048576 bytes',
  ],
  'a prototype': [() => '__proto__: { a: 1 }\napplication: a\n', '__proto__', '1:1', 'Unknown field'],
  'a component named __proto__': [
    () => 'application: a\ncomponents: { __proto__: { image: a } }\n',
    'components.__proto__',
    '2:15',
    'not allowed',
  ],
  'an unknown field': [
    () => web('    immage: nginx\n'),
    'components.web.immage',
    '4:5',
    'Unknown field. Did you mean `image`?',
  ],
  'more than a hundred unknown fields': [
    () => web(Array.from({ length: 101 }, (_, index) => `    field${index}: 1\n`).join('')),
    'components.web',
    '4:5',
    'Has 101 unknown fields',
  ],
  'a wrong type': [() => web('    replicas: two\n'), 'components.web.replicas', '4:15', 'expected number'],
  'no application': [() => 'note: a\n', 'application', '1:1', 'expected string'],
  'a secret of the command line': [
    () => web('    variables: { A: { secret: { env: A } } }\n'),
    'components.web.variables.A.secret',
    '4:31',
    'The command line',
  ],
  'a secret without a stored value': [
    () => web('    variables:\n      A_TOKEN: { secret: preserve }\n'),
    'components.web.variables.A_TOKEN.secret',
    '5:26',
    'no stored value',
  ],
  'a new component without an image': [
    () => `application: ${name}\ncomponents:\n  other: { replicas: 1 }\n`,
    'components.other.image',
    '3:10',
    'required',
  ],
  'a new port without a protocol': [
    () => web('    ports:\n      81: { isInner: true }\n'),
    'components.web.ports.81.protocol',
    '5:11',
    'required',
  ],
  'another alias': [() => web('    alias: other\n'), 'components.web.alias', '4:12', 'Cannot change'],
  'a dependency on nothing': [
    () => web('    dependsOn: [web2]\n'),
    'components.web.dependsOn.0',
    '4:17',
    'no component web2',
  ],
  'a dependency on another application': [
    () => web('    dependsOn: [{ application: x, component: y }]\n'),
    'components.web.dependsOn.0',
    '4:17',
    'no component x/y',
  ],
  'a route to nothing': [
    () => routes('{ component: api, port: 80, domain: a.shop.example }'),
    'routes.0.component',
    '3:18',
    'no component api',
  ],
  'a route to no port': [
    () => routes('{ component: web, port: 81, domain: a.shop.example }'),
    'routes.0.port',
    '3:29',
    'no port 81',
  ],
  'a route to a port of another protocol': [
    () => routes('{ component: web, port: 90, domain: a.shop.example }'),
    'routes.0.port',
    '3:29',
    'http or grpc',
  ],
  'a route twice': [
    () =>
      `${routes('{ component: web, port: 80, domain: a.shop.example }')}  - { component: web, port: 80, domain: A.shop.example, path: / }\n`,
    'routes.1',
    '4:5',
    'same route as routes.0',
  ],
  'an unknown certificate': [
    () => routes('{ component: web, port: 80, domain: a.shop.example, certificate: none }'),
    'routes.0.certificate',
    '3:70',
    'no certificate none',
  ],
};

const told = ({ path, message, line, column }: any) => [
  path.slice(1).join('.'),
  line === undefined ? 'none' : `${line}:${column}`,
  message,
];

describe('a document', () => {
  expectUnchanged(() => trellis);

  it.each(Object.entries(documents))(
    'with %s is refused with its place',
    async (_, [document, path, where, words]) => {
      const { error } = await tryPlan(trellis, place, document());
      expect(error?.extensions.code, JSON.stringify(error)).toBe('INVALID_INPUT');
      const [first] = error!.extensions.issues;
      expect(told(first)).toEqual([path, where, expect.stringContaining(words)]);
      const applied = await tryApply(trellis, place, document());
      expect(applied).toMatchObject({ __typename: 'InvalidInputError', code: 'INVALID_INPUT' });
    },
  );

  it('is told of all that is wrong with it', async () => {
    const { error } = await tryPlan(
      trellis,
      place,
      'application: a\nx: 1\ny: 2\ncomponents: { a: { replicas: -1 } }\n',
    );
    expect(error?.extensions.issues.map(told)).toEqual([
      ['x', '2:1', 'Unknown field'],
      ['y', '3:1', 'Unknown field'],
      ['components.a.replicas', '4:30', expect.any(String)],
    ]);
  });
});

describe('a manifest', () => {
  it('cannot use the domain of another team', async () => {
    const other = await trellis.createPlace();
    const domain = `${unique('www')}.example`;
    const { region } = place;
    await trellis.succeed(
      'openTeamRegion',
      { team: { teamId: other.team.teamId }, region: { regionId: region.regionId } },
      '__typename',
    );
    const document = (component: string) =>
      `application: ${unique('a')}\ncomponents: { ${component}: { image: a, ports: { 80: { protocol: http } } } }\nroutes: [{ component: ${component}, port: 80, domain: ${domain} }]\n`;
    await apply(trellis, { ...other, region }, document('a'));
    const { error } = await tryPlan(trellis, place, document('b'));
    expect(error).toMatchObject({
      message: `routes.0.domain (line 3, column 44): The domain ${domain} belongs to another team in the region ${region.name}.`,
      extensions: { code: 'CONFLICT' },
    });
    const applied = await tryApply(trellis, place, document('b'));
    expect(applied).toMatchObject({ __typename: 'ConflictError', message: error!.message });
  });

  it('cannot use a certificate that does not cover its domain', async () => {
    const { pem, key } = await issue({ names: ['www.shop.example'] });
    const certificate = { team: { teamId: place.team.teamId }, name: 'shop', chain: pem, key };
    await trellis.succeed('addCertificate', certificate, '__typename');
    const { error } = await tryPlan(
      trellis,
      place,
      routes('{ component: web, port: 80, domain: api.shop.example, certificate: shop }'),
    );
    expect(error?.extensions.issues.map(told)).toEqual([
      ['routes.0.certificate', '3:72', 'The certificate shop does not cover api.shop.example'],
    ]);
    const document = routes('{ component: web, port: 80, domain: www.shop.example, certificate: shop }');
    expect((await tryPlan(trellis, place, document)).plan?.changes).toHaveLength(1);
  });

  it('is of a team that has the region', async () => {
    const { region } = await trellis.createPlace();
    const { error } = await tryPlan(trellis, { ...place, region }, 'application: a\n');
    expect(error?.extensions.code).toBe('NOT_FOUND');
  });
});
