import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Model, tables } from '../../src/db/tables.ts';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** The concept whose rows.ts, or files that end in -rows.ts, are the only code to write a table. */
const writers: { [model in Model]: string } = {
  Enterprise: 'enterprise',
  User: 'user',
  AccessToken: 'access-token',
  Team: 'team',
  Membership: 'team',
  Event: 'event',
  Certificate: 'certificate',
  Region: 'region',
  TeamRegion: 'region',
  Application: 'application',
  ComponentGroup: 'component',
  Component: 'component',
  EnvironmentVariable: 'component',
  Volume: 'component',
  ComponentDependency: 'component',
  Deployment: 'component',
  Job: 'job',
  JobComponent: 'job',
  Port: 'port',
  HttpRule: 'gateway-rule',
  TcpRule: 'gateway-rule',
  Domain: 'gateway-rule',
  StoreConnection: 'app-store',
  UpgradeRecord: 'app-store',
  PublishedTemplate: 'app-store',
  PublishedVersion: 'app-store',
};

/** Writes of other files, each with its reason. */
const exceptions = new Set([
  // The entry point for writes inserts the events of every change, and sets when their applications changed.
  'db/write/record.ts writes Event',
  'db/write/record.ts writes raw SQL',
  // The key rotation encrypts every sealed column anew, whatever its table.
  'db/sealed.ts writes raw SQL',
  // The statements of the bulk helpers, whose callers are checked here.
  'db/write/bulk.ts writes raw SQL',
  // The readiness probe writes no row.
  'db/sqlite.ts writes raw SQL',
  'db/postgres.ts writes raw SQL',
  // Synthetic data is loaded in bulk, past the rules and the record.
  'commands/seed-data.ts writes raw SQL',
]);

const models = new Map(
  (Object.keys(tables) as Model[]).map((model) => [model[0]!.toLowerCase() + model.slice(1), model]),
);
const delegate = new RegExp(
  `\\.(${[...models.keys()].join('|')})\\s*\\.(?:create|update|upsert|delete)(?:Many(?:AndReturn)?)?\\(`,
  'g',
);
const bulk = /(?<![.\w])(?:insertMany|updateMany|deleteMany)\(\s*(?:\w+|\{[^}]*\}),\s*'(\w+)'/g;
const anyBulk = /(?<![.\w])(?:insertMany|updateMany|deleteMany)\(/g;
const raw = /\$executeRaw(?:Unsafe)?\b|(?:INSERT INTO|DELETE FROM) ["\w$]|\bUPDATE ["\w$]+ SET\b/;

/** What a file writes: models, and whether it does so in SQL of its own. */
function writesOf(text: string): string[] {
  const named = [...text.matchAll(delegate)].map((match) => models.get(match[1]!)!);
  const inBulk = [...text.matchAll(bulk)].map((match) => match[1]!);
  return [...new Set([...named, ...inBulk, ...(raw.test(text) ? ['raw SQL'] : [])])];
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !/generated|db\/migrate\//.test(file));
const textOf = (file: string) => readFileSync(join(src, file), 'utf8');
const isOwn = (file: string, model: string) =>
  file.startsWith(`domain/${writers[model as Model]}/`) && /(^|[/-])rows\.ts$/.test(file);

describe('the writers', () => {
  it('are only the rows.ts of their concept', () => {
    const foreign = files.flatMap((file) =>
      writesOf(textOf(file))
        .filter((model) => !isOwn(file, model))
        .map((model) => `${file} writes ${model}`),
    );
    expect(new Set(foreign)).toEqual(exceptions);
  });

  it('are found for every table', () => {
    const written = new Set(files.flatMap((file) => writesOf(textOf(file))));
    expect([...written].filter((model) => model !== 'raw SQL').sort()).toEqual(Object.keys(tables).sort());
  });

  it('name their table where they write in bulk', () => {
    const unnamed = files.filter((file) => {
      const text = textOf(file).replace(/export async function (insert|update|delete)Many/g, '');
      return [...text.matchAll(anyBulk)].length !== [...text.matchAll(bulk)].length;
    });
    expect(unnamed).toEqual([]);
  });

  it('are distinguished from code that only reads', () => {
    expect(
      writesOf("await tx.port.findMany({}); known.delete(key); updateMany(write, 'Port', rows)"),
    ).toEqual(['Port']);
    expect(writesOf('tx.httpRule\n  .updateMany({})')).toEqual(['HttpRule']);
    expect(writesOf('tx.$executeRaw`DELETE FROM port`')).toEqual(['raw SQL']);
  });
});
