import { beforeAll, describe, expect, it } from 'vitest';
import {
  enterpriseOf,
  exportOf,
  linesIn,
  recordEvents,
  sealerOf,
  verifyExport,
} from '../../support/sealed-record.ts';
import { send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

const path = '/api/v1/export-events';
const trellis = useTrellis();
beforeAll(async () => {
  await recordEvents(trellis, 600);
  await sealerOf(trellis).seal();
  await recordEvents(trellis, 20);
});

const idsIn = (text: string) =>
  linesIn(text)
    .filter(({ type }) => type === 'event')
    .map(({ id }) => id as number);
const ids = async () =>
  (await trellis.services.db.query('SELECT id FROM event ORDER BY id', [])).map(([id]) => Number(id));

describe('an export of the record', () => {
  it('has all events in order, each after its seal, and what is not sealed at the end', async () => {
    const text = await exportOf(trellis);
    const lines = linesIn(text);
    const all = await ids();
    expect(idsIn(text)).toEqual(all);
    expect(lines[0]).toMatchObject({
      type: 'export',
      enterprise: { id: await enterpriseOf(trellis), name: 'default' },
      after: 0,
      keys: [{ kty: 'OKP', crv: 'Ed25519', kid: trellis.services.seal.recordKey.id }],
    });
    const seals = lines.filter(({ type }) => type === 'seal');
    expect(seals.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(lines.at(-1)).toEqual({
      type: 'end',
      lastEventId: all.at(-1),
      lastSealedEventId: seals.at(-1).lastEventId,
      events: all.length,
      seals: 3,
    });
    expect(lines[2]).toMatchObject({ action: 'enterprise.bootstrap', changes: expect.any(Object) });
    expect(verifyExport(trellis, text)).toMatchObject({
      events: 601,
      unsealedEvents: 20,
      problem: undefined,
    });
  });

  it('continues after an event, and verifies together with what came before', async () => {
    const first = await exportOf(trellis);
    const { lastSealedEventId } = linesIn(first).at(-1);
    await sealerOf(trellis).seal();
    const second = await exportOf(trellis, String(lastSealedEventId));
    expect(idsIn(second)).toEqual((await ids()).filter((id) => id > lastSealedEventId));
    expect(verifyExport(trellis, second)).toMatchObject({
      events: 20,
      unsealedEvents: 0,
      problem: undefined,
    });
    expect(verifyExport(trellis, first + second)).toMatchObject({ events: 621, problem: undefined });
    // In the middle of a seal.
    const third = await exportOf(trellis, '400');
    expect(idsIn(third)[0]).toBe(401);
    expect(verifyExport(trellis, third).problem).toBeUndefined();
    const without = third.split('\n').filter((line) => !line.includes('"id":402,'));
    expect(verifyExport(trellis, without.join('\n')).problem).toMatchObject({ eventId: 402 });
    // After the last one.
    expect(linesIn(await exportOf(trellis, '2000000'))).toMatchObject([
      { type: 'export' },
      { type: 'end', events: 0 },
    ]);
  });

  it('begins at a time', async () => {
    const since = new Date().toISOString();
    expect(idsIn(await exportOf(trellis, since))).toEqual([]);
    const before = (await ids()).length;
    await recordEvents(trellis, 2);
    expect(idsIn(await exportOf(trellis, since))).toEqual((await ids()).slice(before));
    expect(idsIn(await exportOf(trellis, '2020-01-01'))).toEqual(await ids());
  });

  it('is compressed for those who accept that', async () => {
    const response = await fetch(`${trellis.url}${path}`, {
      headers: { Authorization: `Bearer ${trellis.adminToken}`, 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8');
    expect(linesIn(await response.text()).at(-1).type).toBe('end');
  });

  it('stops reading when the client closes the connection', async () => {
    const abort = new AbortController();
    const response = await fetch(`${trellis.url}${path}`, {
      headers: { Authorization: `Bearer ${trellis.adminToken}` },
      signal: abort.signal,
    });
    await response.body!.getReader().read();
    abort.abort();
    // Each takes one of a few places until it has ended.
    for (let turn = 0; turn < 8; turn++) await exportOf(trellis);
  });

  it('is for enterprise administrators, whose token is not limited to a part', async () => {
    const team = await trellis.createTeam();
    const owner = await trellis.createMember(team.teamId, 'owner');
    const answer = await send(trellis, { path, token: owner.token });
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await send(trellis, { path, token: null })).toMatchObject({ status: 401 });
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'narrow', grants: [{ actions: ['DELETE_PORT'], team: { name: team.name } }] },
      'secret',
    );
    expect(await send(trellis, { path, token: secret })).toMatchObject({ status: 403 });
  });

  it('refuses what it does not understand', async () => {
    for (const since of ['yesterday', '-1', '2026-13-01', '99999999999', '']) {
      const { status, body } = await send(trellis, { path: `${path}?since=${since}` });
      expect(status, since).toBe(400);
      expect(body).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: ['since'] }] });
    }
    expect(await send(trellis, { path: `${path}?until=1` })).toMatchObject({ status: 400 });
    expect(await send(trellis, { path: `${path}?since=1&since=2` })).toMatchObject({ status: 400 });
    expect(await send(trellis, { path, method: 'POST', body: '{}' })).toMatchObject({ status: 405 });
    expect(await send(trellis, { path, headers: { Accept: 'text/html' } })).toMatchObject({ status: 406 });
    expect(await send(trellis, { path, method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it('can be verified with the published keys', async () => {
    const { status, body } = await send(trellis, { path: '/.well-known/trellis-record.json', token: null });
    expect(status).toBe(200);
    const { id, publicKey } = trellis.services.seal.recordKey;
    expect(body).toMatchObject({ keys: [{ kid: id, x: publicKey, alg: 'EdDSA' }], retired: [] });
  });
});
