import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clientModule,
  clientsFolder as folder,
  fromGateway,
  generators,
  runForExamples,
  startForExamples,
  typesOfExamples,
} from '../support/client-examples.ts';

/** Those with packages that only the long lane installs. The others run with client-examples.once.test.ts. */
const clients = ['apollo', 'relay/client', 'codegen', 'gql-tada', 'openapi-fetch', 'all-operations'];
const npx = ([name, ...args]: [string, ...string[]]) =>
  runForExamples(join(folder, 'node_modules/.bin', name), args);

let started: Awaited<ReturnType<typeof startForExamples>>;
/** It takes longest, and the other tests need not wait for it. */
let types: Promise<string>;

beforeAll(async () => {
  mkdirSync(join(folder, 'relay/generated'), { recursive: true });
  const generated = Promise.all([
    ...generators.map(npx),
    runForExamples(process.execPath, ['possible-types.mjs']),
  ]);
  started = await startForExamples();
  await generated;
  await npx(fromGateway(started.url));
  types = typesOfExamples('tsconfig.json');
});
afterAll(() => started?.close());

describe('the examples', () => {
  it.each(clients)('%s', async (name) => {
    const example = await clientModule(`${name}.ts`);
    expect(example.applications).toEqual(['Blog', 'Cart', 'Payments', 'Search', 'Shop']);
    expect(example.opened).toMatchObject({ number: 8080, isOuter: true });
    expect(example.refused).toBe('NOT_FOUND');
  });

  it('have the types of the schema', async () => {
    expect(await types).toBe('');
  });
});
