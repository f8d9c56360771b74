import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { readTrustedDocuments } from '../../src/graphql/trusted/read.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import type { All } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp.ts';
import { operationNamed, operations } from '../support/operations.ts';
import { callRest } from '../support/operations-rest.ts';
import { type Sent, send } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const folder = mkdtempSync(join(tmpdir(), 'trellis-documents-'));
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const names = 'query Names { teams { nodes { name } } }';
const applications =
  'subscription Follow($id: ID!) { applicationChanged(application: { id: $id }) { name } }';

let any: Trellis;
let trusting: Trellis;
let all: All;
let member: string;
beforeAll(async () => {
  const file = write(
    'persisted.json',
    JSON.stringify({ [`sha256:${sha256(names)}`]: names, [sha256(applications)]: applications }),
  );
  const trustedDocuments = readTrustedDocuments(file, schema, defaultLimits);
  any = await startTrellis({ trustedDocuments });
  trusting = await startTrellis({ trustedDocuments, allowedDocuments: 'trusted' });
  all = await trusting.createAll();
  member = (await trusting.createMember(all.team.teamId, 'DEVELOPER')).token;
});
afterAll(async () => {
  await any?.close();
  await trusting?.close();
  rmSync(folder, { recursive: true });
});

const post = (trellis: Trellis, body: object, sent: Sent = {}) =>
  send(trellis, { body: JSON.stringify(body), ...sent });
const get = (trellis: Trellis, parameters: Record<string, string>, sent: Sent = {}) =>
  send(trellis, { path: `/graphql?${new URLSearchParams(parameters)}`, ...sent });

describe('a document id', () => {
  it.each(['list-ports', 'list_ports', `sha256:${sha256(operationNamed('list-ports').query)}`])(
    'executes the operation %s',
    async (documentId) => {
      const variables = { component: { id: all.component.id } };
      const { query } = operationNamed('list-ports');
      const { body } = await post(trusting, { documentId, variables });
      expect(body.errors).toBeUndefined();
      expect(body).toEqual((await post(trusting, { query, variables })).body);
      expect((await get(trusting, { documentId, variables: JSON.stringify(variables) })).body).toEqual(body);
    },
  );

  it('executes every built-in operation', async () => {
    for (const { path, name, takesInput } of operations) {
      for (const documentId of [path, name]) {
        const { body } = await post(any, {
          documentId,
          variables: takesInput ? { input: 0 } : { first: 'x' },
        });
        expect(body.errors?.[0]?.extensions.code ?? 'none', documentId).not.toBe('NOT_FOUND');
      }
    }
  });

  it('makes a change by POST, and none by GET', async () => {
    const variables = { input: { team: { id: all.team.id }, alias: 'By its id' } };
    const sent = { documentId: 'update-team', variables };
    expect((await post(trusting, sent)).body.data.updateTeam.team).toBeTruthy();
    const refused = await get(trusting, { documentId: 'update-team', variables: JSON.stringify(variables) });
    expect(refused.status).toBe(405);
  });

  it.each([
    ['a hash with its prefix', `sha256:${sha256(names)}`],
    ['a bare hash', sha256(names)],
  ])('of TRUSTED_DOCUMENTS executes its text, by %s', async (_, documentId) => {
    expect((await post(any, { documentId })).body).toEqual((await post(any, { query: names })).body);
  });

  it('can be sent as Apollo and urql send hashes', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(names) } };
    expect((await post(any, { extensions })).body).toEqual((await post(any, { query: names })).body);
  });

  it('of a subscription begins a stream', async () => {
    const controller = new AbortController();
    const response = await fetch(`${trusting.url}/graphql`, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        Authorization: `Bearer ${member}`,
      },
      body: JSON.stringify({ documentId: sha256(applications), variables: { id: all.application.id } }),
    });
    const { value } = await response.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toMatch(/^retry: \d+\nid: /);
    controller.abort();
  });

  it.each<[string, object, number, string, string[] | undefined]>([
    ['that nobody knows', { documentId: 'nothing' }, 404, 'NOT_FOUND', undefined],
    ['of a property of all objects', { documentId: '__proto__' }, 404, 'NOT_FOUND', undefined],
    ['beside a query', { documentId: 'get-viewer', query: names }, 400, 'INVALID_INPUT', ['documentId']],
    ['that is a number', { documentId: 1 }, 400, 'INVALID_INPUT', ['documentId']],
    ['that is missing, with the query', {}, 400, 'INVALID_INPUT', ['query']],
    ['that is null', { documentId: null }, 400, 'INVALID_INPUT', ['query']],
  ])('%s is refused', async (_, body, status, code, path) => {
    const accept = { headers: { Accept: 'application/graphql-response+json' } };
    const answer = await post(any, body, accept);
    expect(answer.status).toBe(status);
    const [{ extensions }] = answer.body.errors;
    expect([extensions.code, extensions.issues?.[0].path]).toEqual([code, path]);
  });

  it('is in the request log, also of the other surfaces', async () => {
    any.logged.length = 0;
    await post(any, { documentId: 'get_viewer' });
    await callRest(any, operationNamed('get_viewer'), {});
    await post(any, { query: names });
    await expect
      .poll(() => any.logged.filter(({ msg }) => msg === 'request').map(({ documentId }) => documentId))
      .toEqual(['get-viewer', 'get-viewer', undefined]);
  });
});

describe('with DOCUMENTS=trusted', () => {
  it.each([
    ['a query', '{ viewer { isAdministrator } }'],
    ['introspection', '{ __schema { types { name } } }'],
    ['a type name', '{ __typename }'],
    ['a mutation', 'mutation { deleteTeam(input: { team: { name: "x" } }) { __typename } }'],
    ['a trusted document with a space more', `${names} `],
    ['what is no document', '{'],
  ])('%s is refused', async (_, query) => {
    const { body } = await post(trusting, { query }, { token: member });
    expect(body.data ?? null).toBeNull();
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await get(trusting, { query }, { token: member })).body.errors[0].extensions.code).toBe(
      'FORBIDDEN',
    );
  });

  it('a subscription is refused', async () => {
    const query = 'subscription { applicationChanged(application: { appId: 1 }) { name } }';
    const headers = { Accept: 'text/event-stream' };
    const { text } = await post(trusting, { query }, { token: member, headers });
    expect(text).toContain('"code":"FORBIDDEN"');
  });

  it('administrators of the enterprise send any document', async () => {
    expect(
      (await post(trusting, { query: '{ __schema { queryType { name } } }' })).body.errors,
    ).toBeUndefined();
  });

  it('trusted documents are executed by id and by text', async () => {
    for (const body of [{ documentId: 'get-viewer' }, { query: names }, { documentId: sha256(names) }]) {
      expect((await post(trusting, body, { token: member })).body.errors).toBeUndefined();
    }
  });

  it('REST and the tools go on', async () => {
    const given = { component: { id: all.component.id } };
    expect((await callRest(trusting, operationNamed('list_ports'), given, { token: member })).status).toBe(
      200,
    );
    const mcp = await connectMcp(trusting, member);
    expect((await mcp.call('get_component', { component: { id: all.component.id } })).isError).toBe(false);
    await mcp.close();
  });
});

describe('TRUSTED_DOCUMENTS', () => {
  const problemOf = (path: string) => {
    try {
      readTrustedDocuments(path, schema, defaultLimits);
    } catch (error) {
      return (error as Error).message.replaceAll(folder, 'FOLDER');
    }
    return undefined;
  };

  it('can be a directory, whose files name the documents', () => {
    const files = mkdtempSync(join(folder, 'files-'));
    writeFileSync(join(files, 'names.graphql'), names);
    writeFileSync(join(files, 'README.md'), 'Not a document.');
    expect(readTrustedDocuments(files, schema, defaultLimits)).toEqual([{ id: 'names', text: names }]);
  });

  it.each<[string, () => string, string]>([
    ['is not there', () => join(folder, 'nothing'), 'FOLDER/nothing, which cannot be used: ENOENT'],
    ['is no JSON', () => write('a.json', 'x'), 'FOLDER/a.json, which cannot be used: '],
    ['is a list', () => write('b.json', '[]'), 'it must be a JSON object'],
    ['has something else than texts', () => write('c.json', '{"a":1}'), 'the value of a must be the text'],
    [
      'has a wrong hash',
      () => write('d.json', `{"sha256:00":"${names}"}`),
      'sha256:00 is not the hash of its text',
    ],
    [
      'has an unknown field',
      () => write('e.json', '{"a":"{ teams { nodes {\\n nothing } } }"}'),
      'a, line 2: Cannot query field "nothing"',
    ],
    ['has what cannot be parsed', () => write('f.json', '{"a":"{"}'), 'a: Syntax Error'],
    [
      'has only fragments',
      () => write('g.json', '{"a":"fragment F on Team { name }"}'),
      'a has no operation',
    ],
    [
      'is an empty directory',
      () => mkdtempSync(join(folder, 'empty-')),
      'it has no file that ends with .graphql',
    ],
  ])('that %s stops the start with a clear error', (_, path, message) => {
    expect(problemOf(path())).toContain(message);
  });
});
