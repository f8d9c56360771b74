import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clientModule,
  exampleFiles as files,
  clientsFolder as folder,
  fromGateway,
  generators,
  runForExamples,
  startForExamples,
  typesOfExamples,
} from '../support/client-examples.ts';

const root = join(folder, '../..');
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');

/** Those whose packages the console or other tests need as well. The others run in the long lane. */
const clients = ['fetch', 'urql', 'graphql-request'];
const checked = [...clients.map((name) => `${name}.ts`), 'live.ts', 'applications.tsx'];

let started: Awaited<ReturnType<typeof startForExamples>>;
/** It takes longest, and the other tests need not wait for it. */
let types: Promise<string>;

beforeAll(async () => {
  mkdirSync(join(folder, 'generated'), { recursive: true });
  const generated = runForExamples(process.execPath, ['possible-types.mjs']);
  const project = { extends: '../tsconfig.json', files: checked.map((file) => `../${file}`) };
  writeFileSync(join(folder, 'generated/tsconfig.json'), JSON.stringify(project));
  started = await startForExamples();
  await generated;
  types = typesOfExamples('generated/tsconfig.json');
});
afterAll(() => started?.close());

describe('docs/clients.md', () => {
  it.each(files)('shows %s as it is', (file) => {
    const text = readFileSync(join(folder, file), 'utf8').trim();
    expect(page).toContain(`\`${file}\``);
    expect(page).toContain(`\n${text}\n\`\`\``);
  });

  it('shows nothing else, but commands that are run here', () => {
    const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => [
      language,
      text!.trim(),
    ]);
    const known = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    const others = blocks
      .filter(([, text]) => !known.includes(text!))
      .map(([, text]) => text!.replace(/ +#.*/, ''));
    expect(others.sort()).toEqual(
      [
        ...[...generators, fromGateway('$TRELLIS_URL')].map((command) => `npx ${command.join(' ')}`),
        'node possible-types.mjs',
      ].sort(),
    );
  });
});

describe('the examples', () => {
  it.each(clients)('%s', async (name) => {
    const example = await clientModule(`${name}.ts`);
    expect(example.applications).toEqual(['Blog', 'Cart', 'Payments', 'Search', 'Shop']);
    expect(example.opened).toMatchObject({ number: 8080, isOuter: true });
    expect(example.refused).toBe('NOT_FOUND');
  });

  it('curl.sh', async () => {
    const ask = (...args: string[]) => runForExamples('sh', ['curl.sh', ...args]).catch((error) => error);
    expect((await ask('shop')).stdout).toBe('Blog\nCart\nPayments\nSearch\nShop\n');
    const refused = await ask('nowhere');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('NOT_FOUND: There is no such team.'),
    ]);
  });

  it('deploy-and-wait.sh', async () => {
    const deploy = (id: number) =>
      runForExamples('sh', ['deploy-and-wait.sh', String(id)], { INTERVAL: '0.1' }).catch((error) => error);
    expect((await deploy(started.appId)).stdout).toBe('SUCCEEDED\n');
    const refused = await deploy(4_711);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('NOT_FOUND: There is no such application.'),
    ]);
  });

  it('have the types of the schema', async () => {
    expect(await types).toBe('');
  });
});
