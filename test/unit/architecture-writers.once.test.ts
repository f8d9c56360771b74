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
  Role: 'role',
  AccessToken: 'access-token',
  DeprecatedUse: 'access-token',
  ServiceAccount: 'service-account',
  Session: 'session',
  LogoutToken: 'session',
  Identity: 'session',
  Trust: 'trust',
  DeployHook: 'deploy-hook',
  Preview: 'preview',
  ComponentRun: 'run',
  RunLog: 'run',
  Schedule: 'run',
  ComponentCrash: 'job',
  ExchangedToken: 'trust',
  Team: 'team',
  Membership: 'team',
  GroupRole: 'team',
  Event: 'event',
  RecordSeal: 'event',
  RecordKey: 'event',
  WorkerLease: 'upkeep',
  Gateway: 'upkeep',
  KeyRotation: 'upkeep',
  Certificate: 'certificate',
  RegistryCredential: 'registry-credential',
  Region: 'region',
  TeamRegion: 'region',
  Application: 'application',
  Manifest: 'manifest',
  Release: 'release',
  ComponentGroup: 'component',
  Component: 'component',
  EnvironmentVariable: 'component',
  Volume: 'component',
  SnapshotSchedule: 'component',
  ComponentDependency: 'component',
  Deployment: 'component',
  PendingDeploy: 'component',
  Job: 'job',
  JobComponent: 'job',
  RegionLease: 'job',
  Webhook: 'webhook',
  WebhookDelivery: 'webhook',
  Port: 'port',
  HttpRule: 'gateway-rule',
  TcpRule: 'gateway-rule',
  Domain: 'gateway-rule',
  StoreConnection: 'app-store',
  UpgradeRecord: 'app-store',
  PublishedTemplate: 'app-store',
  PublishedVersion: 'app-store',
  IdempotencyKey: 'none',
  IdempotencyResult: 'none',
};

/** Writes of other files, each with its reason. */
const exceptions = new Set([
  // The entry point for writes inserts the events of every change, and sets when their applications changed.
  'db/write/record.ts writes Event',
  'db/write/record.ts writes raw SQL',
  // The deliveries of events to webhooks, which are part of the statement that inserts the events.
  'db/write/deliveries.ts writes raw SQL',
  // Answers belong to requests, whatever concepts these change.
  'idempotency/records.ts writes IdempotencyKey',
  'idempotency/records.ts writes IdempotencyResult',
  'idempotency/records.ts writes raw SQL',
  // The key rotation encrypts every sealed column anew, whatever its table.
  'db/sealed.ts writes raw SQL',
  // The statements of the bulk helpers, whose callers are checked here.
  'db/write/bulk.ts writes raw SQL',
  // What the database would delete with a row, in batches before it.
  'db/write/deletion.ts writes raw SQL',
  // Counts what a dry run writes.
  'db/write/dry-run.ts writes raw SQL',
  // The readiness probes write no row that stays.
  'db/postgres/postgres.ts writes raw SQL',
  'db/sqlite/writable.ts writes raw SQL',
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
const bulk =
  /(?<![.\w])(?:insertMany|copyColumns|updateMany|reviseMany|deleteMany|deleteByIds)\(\s*(?:\w+|\{[^}]*\}),\s*'(\w+)'/g;
/** A table whose leases `db/work` writes. */
const leased = /new (?:Work|Lease)Table\('(\w+)'/g;
const anyBulk = /(?<![.\w])(?:insertMany|copyColumns|updateMany|reviseMany|deleteMany|deleteByIds)\(/g;
const raw =
  /\btx\.\$(?:write|insert)\b|\$executeRaw(?:Unsafe)?\b|(?:INSERT INTO|DELETE FROM) ["\w$]|\bUPDATE ["\w$]+ SET\b/;

/** What a file writes: models, and whether it does so in SQL of its own. */
function writesOf(text: string): string[] {
  const named = [...text.matchAll(delegate)].map((match) => models.get(match[1]!)!);
  const inBulk = [...text.matchAll(bulk)].map((match) => match[1]!);
  const inLeases = [...text.matchAll(leased)].map((match) => match[1]!);
  return [...new Set([...named, ...inBulk, ...inLeases, ...(raw.test(text) ? ['raw SQL'] : [])])];
}

/** Updates that are no changes of an object that has revisions, each with its reason. */
const uncounted = [
  // The name in the cluster, which is derived from the id of a new application.
  'domain/application/rows.ts Application',
  // Which component owns a name that several have, which no field shows.
  'domain/component/names/rows.ts Component',
  'domain/component/names/rows.ts Component',
  // What was carried out of the changes that were counted.
  'domain/component/deploy/apply-rows.ts Component',
  // The values of secrets, which earlier versions did not encrypt.
  'domain/component/variables/many-rows.ts EnvironmentVariable',
  // The template of a new group, the version that its store offers, and a template that was not encrypted.
  'domain/component/group-rows.ts ComponentGroup',
  'domain/component/group-rows.ts ComponentGroup',
  'domain/component/group-rows.ts ComponentGroup',
  // Temporary values, before the update that is counted.
  'domain/component/volumes/many-rows.ts Volume',
  'domain/component/rows.ts Component',
  'domain/port/rows.ts Port',
  // When its end was recorded.
  'domain/certificate/rows.ts Certificate',
  // What has become of it.
  'domain/preview/rows.ts Preview',
  'domain/preview/rows.ts Preview',
  'domain/preview/rows.ts Preview',
  // When it is looked at next.
  'domain/run/rows.ts ComponentRun',
  // Which of its times have passed.
  'domain/run/schedules/rows.ts Schedule',
  // When a deploy hook was used last.
  'domain/deploy-hook/rows.ts DeployHook',
  // Which rules are the default ones that a port has lost.
  'domain/gateway-rule/rows.ts HttpRule',
  'domain/gateway-rule/rows.ts TcpRule',
  // Since when its deliveries fail, which users do not change.
  'domain/webhook/delivery/rows.ts Webhook',
  'domain/webhook/delivery/rows.ts Webhook',
  // The address of the last sign-in.
  'domain/user/rows.ts User',
];

const update = new RegExp(
  `\\.(${[...models.keys()].join('|')})\\s*\\.(?:update|upsert)(?:Many(?:AndReturn)?)?\\(`,
  'g',
);
const bulkUpdate = /(?<![.\w])updateMany\(\s*(?:\w+|\{[^}]*\}),\s*'(\w+)'/g;

/** The models that have revisions, once for each update of a file that does not count a change. */
function uncountedIn(text: string): Model[] {
  const one = [...text.matchAll(update)].flatMap((match) =>
    /\bchanged\b|\brevised\(/.test(callFrom(text, match.index)) ? [] : models.get(match[1]!)!,
  );
  const many = [...text.matchAll(bulkUpdate)].map((match) => match[1] as Model);
  return [...one, ...many].filter((model) => 'revision' in tables[model].columns);
}

/** A call, to its closing parenthesis. */
function callFrom(text: string, start: number): string {
  let depth = 0;
  for (let at = text.indexOf('(', start); at < text.length; at++) {
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    if (depth === 0) return text.slice(start, at);
  }
  return text.slice(start);
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
      if (file === 'db/write/bulk.ts') return false;
      const text = textOf(file);
      return [...text.matchAll(anyBulk)].length !== [...text.matchAll(bulk)].length;
    });
    expect(unnamed).toEqual([]);
  });

  it('count every change of an object that has revisions', () => {
    const found = files.flatMap((file) => uncountedIn(textOf(file)).map((model) => `${file} ${model}`));
    expect(found.sort()).toEqual([...uncounted].sort());
  });

  it('are distinguished from code that only reads', () => {
    expect(
      writesOf("await tx.port.findMany({}); known.delete(key); updateMany(write, 'Port', rows)"),
    ).toEqual(['Port']);
    expect(writesOf('tx.httpRule\n  .updateMany({})')).toEqual(['HttpRule']);
    expect(writesOf('tx.$executeRaw`DELETE FROM port`')).toEqual(['raw SQL']);
    expect(writesOf('tx.$write(text, [json])')).toEqual(['raw SQL']);
  });
});
