import { beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../support/fixtures.ts';
import { rest } from '../support/openapi.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let all: All;
let apps: string;
beforeAll(async () => {
  all = await trellis.createAll();
  apps = `/teams/${all.team.teamId}/regions/${all.region.name}/apps/${all.application.appId}`;
  for (let index = 0; index < 12; index++) await trellis.createTeam();
});

describe('pages', () => {
  it('contain the right items in order, with the correct total', async () => {
    const names: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { body } = await rest(trellis, `get /teams?page=${page}&page_size=5`);
      expect(body.total).toBe(13);
      expect(body.tenants).toHaveLength([5, 5, 3, 0][page - 1]!);
      names.push(...body.tenants.map((team: any) => team.tenant_name));
    }
    expect(names).toEqual([...names].sort());
    expect(new Set(names).size).toBe(13);
    const usual = await rest(trellis, 'get /teams');
    expect(usual.body.tenants.map((team: any) => team.tenant_name)).toEqual(names.slice(0, 10));
    const whole = await rest(trellis, 'get /teams?page_size=1000');
    expect(whole.body.tenants.map((team: any) => team.tenant_name)).toEqual(names);
    const far = await rest(trellis, 'get /teams?page=2147483647&page_size=1000');
    expect(far.body).toEqual({ total: 13, tenants: [] });
  });

  it('are searched without regard to case, and %, _ and \\ are letters', async () => {
    const { name } = all.team;
    const found = async (query: string) =>
      (await rest(trellis, `get /teams?query=${encodeURIComponent(query)}`)).body.total;
    expect(await found(name.toUpperCase())).toBe(1);
    expect(await found('')).toBe(13);
    for (const none of ['%', '_', '\\', `${name}%`]) expect(await found(none)).toBe(0);
  });
});

describe('conditional reads', () => {
  it('return 304 until something changes, and the full response after a change', async () => {
    const path = `get ${apps}/services/${all.component.alias}/ports`;
    const first = await rest(trellis, path);
    const { etag } = first.headers;
    expect(etag).toMatch(/^W\/"[0-9a-f]+"$/);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    for (const tag of [etag, `"x", ${etag}`, etag!.slice(2), '*']) {
      const again = await rest(trellis, path, { headers: { 'If-None-Match': tag } });
      expect(again.status, tag).toBe(304);
      expect(again.headers.etag).toBe(etag);
      expect(again.headers['cache-control']).toBe('private, no-cache');
      expect(again.headers.vary).toContain('Accept-Encoding');
    }
    const head = await rest(trellis, path.replace('get', 'head'), { headers: { 'If-None-Match': etag } });
    expect(head.status).toBe(304);
    const port = { action: 'open_inner' };
    await rest(trellis, `${path.replace('get', 'put')}/8080`, { body: port });
    const changed = await rest(trellis, path, { headers: { 'If-None-Match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
  });

  it('apply to successful responses only', async () => {
    const refused = await rest(trellis, 'get /teams/nowhere/regions', { headers: { 'If-None-Match': '*' } });
    expect([refused.status, refused.headers.etag, refused.headers['cache-control']]).toEqual([
      404,
      undefined,
      'no-store',
    ]);
    const posted = await rest(trellis, 'post /teams/resource', {
      body: [],
      headers: { 'If-None-Match': '*' },
    });
    expect([posted.status, posted.headers.etag, posted.headers['cache-control']]).toEqual([
      200,
      undefined,
      'no-store',
    ]);
  });
});
