import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createInstall } from '../../support/installs.ts';
import { documents } from '../../support/manifest-documents.ts';
import { elsewhere, exported } from '../../support/manifests.ts';
import { rest } from '../../support/openapi.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let isValid: ReturnType<Ajv2020['compile']>;
beforeAll(async () => {
  const response = await fetch(`${trellis.url}/manifest.schema.json`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/schema+json; charset=utf-8',
  ]);
  isValid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile((await response.json()) as object);
});

const web = (rest: object) => ({
  application: 'shop',
  components: { web: { image: 'nginx:1.29', ...rest } },
});

describe('/manifest.schema.json', () => {
  it('accepts generated documents', () => {
    fc.assert(
      fc.property(documents, (generated) => {
        const document = JSON.parse(elsewhere(JSON.stringify(generated), 'shop'));
        expect([isValid(document), isValid.errors]).toEqual([true, null]);
      }),
      { numRuns: 200 },
    );
  });

  it('accepts the export of an installed template', async () => {
    const all = await trellis.createAll();
    const install = await createInstall(trellis, all);
    await rest(trellis, `post ${install.at}/install`, { body: install.body });
    const { document } = await exported(trellis, Number(install.at.split('/').at(-1)));
    expect([isValid(parse(document)), isValid.errors]).toEqual([true, null]);
  });

  it.each([
    ['a value of the environment', { env: 'TOKEN' }, true],
    ['a value of a file', { file: 'token.txt' }, true],
    ['the stored value', 'preserve', true],
    ['another word', 'keep', false],
    ['two places', { env: 'TOKEN', file: 'token.txt' }, false],
  ])('knows secrets: %s', (_, secret, valid) => {
    expect(isValid(web({ variables: { TOKEN: { secret } } }))).toBe(valid);
  });

  it.each([
    ['an unknown field', web({ immage: 'x' })],
    ['a wrong type', web({ replicas: 'two' })],
    ['no application', { components: {} }],
    ['a number that is too large', web({ replicas: 1_000_000 })],
    ['a list', []],
  ])('refuses %s', (_, document) => {
    expect(isValid(document)).toBe(false);
  });
});
