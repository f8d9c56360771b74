import fc from 'fast-check';
import { routeOf, type Title, titles } from '../support/rest-examples.ts';
import { encoded, type Request, type Step } from '../support/rest-steps.ts';

const textsOfNames = ['__proto__', 'constructor', 'toString', 'null', 'true', '0', '1', '-1', '8080'];
const textsOfTrouble = [
  "'; DROP TABLE port; --",
  '%',
  '_',
  '\u0000',
  '\n',
  '\ud800',
  '\u202e',
  '𝒯',
  '..',
  '{}',
];

/** Any text: what names something now and then, borders of lengths, all of Unicode, halves of pairs. */
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((at) => String.fromCharCode(at)) }),
  },
  { weight: 3, arbitrary: fc.constantFrom(...textsOfNames, ...textsOfTrouble) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('A', 'WEB_1', 'web', 'a.example', 'a=b', 'a:b', '/x', '10.0.0.1:7777'),
  },
  { weight: 1, arbitrary: fc.nat(3).chain((at) => fc.constant('x'.repeat([64, 256, 5000, 100_000][at]!))) },
);

const anyNumber = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 80, 8080, 9999, 65_535, 65_536, 1e308),
  fc.constantFrom(2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53),
  fc.integer({ min: -10, max: 70_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const anyValue = fc.oneof(
  { weight: 4, arbitrary: anyText },
  { weight: 3, arbitrary: anyNumber },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, '', [], {}) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4, noUnicodeString: false, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.array(anyText, { maxLength: 120 }) },
);

const anyName = fc.oneof(
  fc.constantFrom('page', 'page_size', 'query', 'eid', 'region_id', 'extend_info', 'is_deploy', 'bogus'),
  anyText,
);

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];

/** A line of a header: what HTTP lets pass. */
const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((at) => String.fromCharCode(at)), maxLength: 60 })
  .map((text) => text.replaceAll('\u007f', ''));
const headerTexts: Record<string, string[]> = {
  'Content-Type': ['application/json', 'application/json; charset=latin1', 'text/plain', 'json', ''],
  'Content-Encoding': ['gzip', 'identity', 'br', ''],
  Accept: ['*/*', 'application/json', 'text/html', 'image/*;q=0', '', ';;,,'],
  'Accept-Encoding': ['gzip', 'br', 'gzip;q=0, *;q=0', 'identity;q=0', 'x'.repeat(300), 'gzip, deflate, br'],
  'If-None-Match': ['*', '""', 'W/"', 'W/"x", "y"', ',,', '"'],
  Authorization: ['', 'Bearer', 'Bearer ', 'Bearer nope', 'Basic eDp5', 'nope', 'trl_nope'],
  'X-Request-Id': ['abc', '', 'a b', 'x'.repeat(129)],
  Origin: ['null', 'https://app.example', ''],
  Range: ['bytes=0-1', 'bytes=-'],
  'X-Forwarded-Host': ['evil.example'],
  'X-HTTP-Method-Override': ['DELETE'],
  Prefer: ['respond-async'],
  Cookie: ['a=b; a=c', ''],
};
const anyHeader = fc
  .constantFrom(...Object.keys(headerTexts))
  .chain((name) =>
    fc
      .oneof(
        { weight: 3, arbitrary: fc.constantFrom(...headerTexts[name]!) },
        { weight: 1, arbitrary: headerText },
      )
      .map((value): Step => ({ do: 'header', name, value })),
  );

const at = fc.nat(200);
const escapes = [
  ...['%', '%zz', '%00', '%ff', '%2F', '%2e%2e', '%25', '%C0%AF', '%ED%A0%80'],
  ...['/', '//', ';', '#', '?', '&', '='],
];

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('field' as const), at, value: anyValue }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('extra' as const), name: anyName, value: anyValue }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('deep' as const),
      at,
      levels: fc.constantFrom(2, 100, 10_000),
      open: fc.constantFrom('[' as const, '{"a":' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('body' as const), text: fc.oneof(fc.json(), anyText) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      at: fc.nat(2000),
      length: fc.nat(6),
      filling: fc.oneof(
        fc.constantFrom('', '{', '}', '[', ']', '"', ',', ':', '\\', '\\u', 'null', '1e999'),
        anyText,
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('param' as const), at, value: anyText }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('query' as const), name: anyName, value: anyText }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('again' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('escape' as const), text: fc.constantFrom(...escapes) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('method' as const), method: fc.constantFrom(...methods) }),
  },
  { weight: 2, arbitrary: anyHeader },
);

/** A good example with at most three things wrong with it, and now and then none. */
export const nearly = fc.record({
  // What changes something has more that can be wrong.
  title: fc.constantFrom(...titles, ...titles.filter((title) => routeOf(title).method !== 'get')),
  steps: fc.array(anyStep, { maxLength: 3 }),
});
export type Nearly = { title: Title; steps: Step[] };

/** Beginnings of paths; the names in braces become those of things that are there. */
const beginnings = [
  ...['', 'teams', 'teams/{team_id}', 'teams/{team_id}/regions'],
  'teams/{team_id}/regions/{region_name}/apps',
  ...[
    'teams/{team_id}/regions/{region_name}/apps/{app_id}',
    'regions',
    'regions/{region_name}',
    'administrators',
  ],
  'teams/{team_id}/regions/{region_name}/apps/{app_id}/services/{service_id}',
];

const elements = [
  'teams',
  'regions',
  'apps',
  'services',
  'ports',
  'domains',
  'install',
  'upgrade',
  'resource',
];
const anyElement = fc.oneof(
  fc.constantFrom(...elements, '1', '8080', 'openapi.json', 'docs', '..', '.', '', ...escapes),
  anyText.map((text) => encoded(text).slice(0, 4000)),
);

/** Anything at all below `/openapi/v1`. */
export const anything: fc.Arbitrary<Request> = fc.record(
  {
    method: fc.constantFrom(...methods),
    path: fc
      .tuple(fc.constantFrom(...beginnings), fc.array(anyElement, { maxLength: 4 }))
      .map(([beginning, elements]) => ['', beginning, ...elements].join('/')),
    headers: fc
      .array(anyHeader, { maxLength: 4 })
      .map((steps) =>
        Object.fromEntries(steps.flatMap((step) => (step.do === 'header' ? [[step.name, step.value]] : []))),
      ),
    body: fc.oneof(
      fc.json(),
      anyText,
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    ),
  },
  { requiredKeys: ['method', 'path', 'headers'] },
);
