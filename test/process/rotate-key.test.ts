import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { sealedColumns } from '../../src/db/sealed.ts';
import { bootstrap } from '../../src/domain/access-token/bootstrap-operations.ts';
import { createSeal } from '../../src/kernel/seal.ts';
import { issue } from '../support/certificates.ts';
import { endCommands, run } from '../support/commands.ts';
import { runHere } from '../support/commands-here.ts';
import { hastyDeliveries } from '../support/deliveries.ts';
import { once } from '../support/once.ts';
import { root } from '../support/production.ts';
import { send } from '../support/send.ts';
import { prepareHere } from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { ringTemplate } from '../support/templates.ts';
import { createDatabase, createMigratedDatabase, databaseKind, startTrellis } from '../support/trellis.ts';

startsProcesses();

const [oldKey, newKey, otherKey] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
];
const token = `trl_${'t'.repeat(43)}`;
const sealOf = (key: string) => createSeal(Buffer.from(key, 'hex'));

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createMigratedDatabase();
  const db = await openDatabase({ url: database.url, poolSize: 1 });
  await bootstrap(db, token);
  await db.close();
});
afterAll(async () => {
  endCommands();
  await database.drop();
});

const rotate = (keys: Record<string, string>, runs: typeof run = runHere) =>
  runs('rotate-key', [], { DATABASE_URL: database.url, ...keys });

/** A gateway on the database with this key. */
const startGateway = (key: string, options: object = {}) =>
  startTrellis({ database: { url: database.url }, secretKey: Buffer.from(key, 'hex'), ...options });

async function graphql(url: string, query: string, variables: object = {}): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as any;
  if (errors) throw new Error(JSON.stringify(errors));
  const [answer] = Object.values<any>(data);
  if (answer?.code) throw new Error(JSON.stringify(answer));
  return answer;
}

const mutation = (name: string, payload: string) => {
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return `mutation M($input: ${title}Input!) { ${name}(input: $input) {
    __typename ... on ${title}Payload { ${payload} } ... on Error { code message } } }`;
};

const template = ringTemplate(2);
const newer = ringTemplate(2, { key: template.key, version: '2.0.0' });
const credentials = {
  token: 'region token',
  caCertificate: 'authority',
  clientCertificate: 'certificate',
  clientKey: 'client key',
};

/** Something in every place where secrets are kept. */
async function createSecrets(url: string): Promise<void> {
  const region = {
    name: 'north',
    alias: 'North',
    url: 'https://north.example',
    websocketUrl: 'wss://north.example',
  };
  const domains = { httpDomain: 'apps.north.example', tcpDomain: 'tcp.north.example' };
  await graphql(url, mutation('createRegion', 'region { uid }'), {
    input: {
      ...region,
      ...domains,
      status: 'ENABLED',
      credentials,
      cluster: { metricsUrl: 'https://metrics.example', logsUrl: 'https://logs.example' },
      metricsCredentials: { token: 'metrics-token' },
      logsCredentials: { username: 'reader', password: 'logs password' },
    },
  });
  await graphql(url, mutation('createTeam', 'team { uid }'), { input: { name: 'shop', alias: 'Shop' } });
  const team = { name: 'shop' };
  await graphql(url, mutation('openTeamRegion', 'team { uid }'), {
    input: { team, region: { name: 'north' } },
  });
  const { pem: chain, key } = await issue({ names: ['shop.example'] });
  await graphql(url, mutation('addCertificate', 'certificate { uid }'), {
    input: { team, chain, key },
  });
  await graphql(url, mutation('createRegistryCredential', 'credential { uid }'), {
    input: { team, host: 'registry.example', username: 'robot', password: 'secret' },
  });
  await graphql(url, mutation('publishTemplate', 'template { uid }'), { input: { template: template.text } });
  await graphql(url, mutation('createApplication', 'application { appId: uid }'), {
    input: { team, region: { name: 'north' }, name: 'Ring' },
  });
  await graphql(url, mutation('installApplication', 'application { appId: uid }'), {
    input: {
      application: { appId: 1 },
      store: { url, domain: 'self', accessKey: token },
      templateId: template.key,
      version: '1.0.0',
    },
  });
  await graphql(url, mutation('publishTemplate', 'template { uid }'), { input: { template: newer.text } });
  await graphql(url, mutation('upgradeApplication', 'application { appId: uid }'), {
    input: {
      application: { appId: 1 },
      upgrades: [{ storeName: 'self', templateId: template.key, version: '2.0.0' }],
    },
  });
  await sendToWebhook(url);
}

/** Nobody answers, but what was sent is stored. */
async function sendToWebhook(url: string): Promise<void> {
  const { webhook } = await graphql(url, mutation('createWebhook', 'webhook { webhookId: uid }'), {
    input: { team: { name: 'shop' }, url: 'http://127.0.0.1:1/', events: ['port.*'] },
  });
  const { delivery } = await graphql(url, mutation('testWebhook', 'delivery { id }'), { input: { webhook } });
  const payload = async () => {
    const query = 'query ($id: ID!) { node(id: $id) { ... on WebhookDelivery { payload } } }';
    return (await graphql(url, query, delivery)).payload;
  };
  await expect.poll(payload, { timeout: 60_000 }).toContain('webhook.test');
}

/** A request whose answer holds a secret, and which can be repeated. */
const requestOnce = (url: string) =>
  send(
    { url, adminToken: token },
    {
      headers: { 'Idempotency-Key': 'once' },
      body: JSON.stringify({
        query: mutation('createAccessToken', 'secret accessToken { uid }'),
        variables: { input: { name: 'once' } },
      }),
    },
  );
let answered: string;

/** Every encrypted value of the database. */
async function sealedValues(db: Database): Promise<{ from: string; value: string }[]> {
  const lists = sealedColumns.map(async ({ table, column }) => {
    const rows = await db.query(`SELECT "${column}" FROM "${table}" WHERE "${column}" IS NOT NULL`, []);
    return rows.map(([value]) => ({ from: `${table}.${column}`, value: value as string }));
  });
  return (await Promise.all(lists)).flat();
}

async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ url: database.url, poolSize: 2 });
  return work(db).finally(() => db.close());
}

const opens = (key: string, value: string) => {
  try {
    sealOf(key).open(value);
    return true;
  } catch {
    return false;
  }
};

describe('npm run rotate-key', () => {
  let before: { from: string; value: string }[];

  it('covers every encrypted column of models.prisma', () => {
    const models = readFileSync(`${root}/prisma/models.prisma`, 'utf8');
    const columns = [...models.matchAll(/^ +sealed\w+ .*@map\("(\w+)"\)/gm)].map(([, column]) => column);
    expect(columns.length).toBeGreaterThan(5);
    expect(sealedColumns.map(({ column }) => column)).toEqual(columns);
  });

  it('exits with 1 while a gateway is connected to the database', async () => {
    // Its start stores what later starts compare with their key.
    await prepareHere({ DATABASE_URL: database.url, SECRET_KEY: oldKey });
    const trellis = await startGateway(oldKey, { webhooks: hastyDeliveries });
    const { url } = trellis;
    await createSecrets(url);
    answered = (await requestOnce(url)).text;
    expect(answered).toContain('trl_');
    const refused = await rotate({ SECRET_KEY: oldKey, NEW_SECRET_KEY: newKey }, run);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Gateways are connected to the database.');
    await trellis.close();
    before = await withDatabase(sealedValues);
    expect(before.length).toBeGreaterThanOrEqual(6);
    const columns = before.map(({ from }) => from);
    expect(columns).toContain('upgrade_record.sealed_from_template');
    expect(columns).toContain('webhook_delivery.sealed_payload');
    expect(before.every(({ value }) => opens(oldKey, value))).toBe(true);
  });

  once.each([
    ['no new key', {}, 'NEW_SECRET_KEY is not set'],
    ['a new key that is none', { NEW_SECRET_KEY: 'short' }, 'NEW_SECRET_KEY must be 32 bytes'],
    ['the same key', { NEW_SECRET_KEY: oldKey }, 'is the same as SECRET_KEY'],
    [
      'a wrong old key',
      { SECRET_KEY: otherKey, NEW_SECRET_KEY: newKey },
      'cannot be decrypted with SECRET_KEY',
    ],
    ['a file that is not there', { NEW_SECRET_KEY_FILE: '/no/such/file' }, 'NEW_SECRET_KEY_FILE names'],
  ])('refuses %s and changes nothing', async (_, keys, message) => {
    const refused = await rotate({ SECRET_KEY: oldKey, ...keys } as Record<string, string>);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(message);
    expect(await withDatabase(sealedValues)).toEqual(before);
  });

  it('changes nothing when one value cannot be decrypted', async () => {
    const spoil = (value: string) =>
      withDatabase((db) =>
        db.transaction((tx) => tx.storeConnection.updateMany({ data: { sealedAccessKey: value } })),
      );
    const kept = before.find(({ from }) => from === 'store_connection.sealed_access_key')!.value;
    await spoil(sealOf(otherKey).close('of another key'));
    const spoiled = await withDatabase(sealedValues);
    const refused = await rotate({ SECRET_KEY: oldKey, NEW_SECRET_KEY: newKey });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/store_connection\.sealed_access_key of id \d+ cannot be decrypted/);
    expect(await withDatabase(sealedValues)).toEqual(spoiled);
    await spoil(kept);
  });

  it('encrypts every value with the new key, once', async () => {
    const rotated = await rotate({ SECRET_KEY: oldKey, NEW_SECRET_KEY: newKey });
    expect(rotated).toEqual({
      code: 0,
      stdout: `Encrypted ${before.length} values with the new key.\n`,
      stderr: '',
    });
    const after = await withDatabase(sealedValues);
    expect(after.map(({ from, value }) => [from, sealOf(newKey).open(value)])).toEqual(
      before.map(({ from, value }) => [from, sealOf(oldKey).open(value)]),
    );
    expect(after.filter(({ value }) => opens(oldKey, value))).toEqual([]);

    const again = await rotate({ SECRET_KEY: oldKey, NEW_SECRET_KEY: newKey });
    expect(again).toMatchObject({ code: 0, stdout: 'Everything is already encrypted with the new key.\n' });
    expect(await withDatabase(sealedValues)).toEqual(after);
  });

  it('leaves a database that starts only with the new key, and records the rotation', async () => {
    await expect(prepareHere({ DATABASE_URL: database.url, SECRET_KEY: oldKey })).rejects.toThrow(
      'SECRET_KEY does not match the key',
    );
    await prepareHere({ DATABASE_URL: database.url, SECRET_KEY: newKey });
    const trellis = await startGateway(newKey);
    const { url } = trellis;
    const region = await graphql(
      url,
      '{ region(by: { name: "north" }) { credentials { token caCertificate clientCertificate clientKey } } }',
    );
    expect(region.credentials).toEqual(credentials);
    expect((await requestOnce(url)).text).toBe(answered);
    const events = await graphql(
      url,
      '{ events(action: "secret_key.rotate") { nodes { user { email } changes { field after: newValue } } } }',
    );
    expect(events.nodes).toEqual([
      { user: null, changes: [{ field: 'encryptedValues', after: before.length }] },
    ]);
    await trellis.close();
  });

  it.skipIf(databaseKind !== 'sqlite')('replaces the key file beside an SQLite database', async () => {
    const own = await createDatabase();
    const path = `${own.url.slice('file:'.length)}.key`;
    const here = { DATABASE_URL: own.url, SECRET_KEY: '' };
    await prepareHere(here);
    const made = readFileSync(path, 'utf8');
    expect(await rotate({ ...here, NEW_SECRET_KEY: newKey })).toMatchObject({ code: 0, stderr: '' });
    expect(made).not.toBe(newKey);
    expect(readFileSync(path, 'utf8')).toBe(newKey);
    expect(existsSync(`${path}.new`)).toBe(false);
    await own.drop();
  });
});
