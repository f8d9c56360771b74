import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { unique } from '../support/fixtures.ts';
import { document, rest } from '../support/openapi.ts';
import { useTrellis } from '../support/trellis.ts';
import { contentsOf } from '../support/unchanged.ts';
import { upgradesOf } from '../support/upgrades.ts';

const trellis = useTrellis();
let apps: string;
let ports: string;
let service: string;
beforeAll(async () => {
  const { team, region, application, component } = await trellis.createAll();
  service = component.componentId;
  apps = `/teams/${team.teamId}/regions/${region.name}/apps/${application.appId}`;
  ports = `${apps}/services/${service}/ports`;
});

let free = 20_000;
/** A new port, with its entity tag. */
async function newPort(protocol = 'http') {
  const number = free++;
  const { status, headers } = await rest(trellis, `post ${ports}`, { body: { port: number, protocol } });
  expect(status).toBe(200);
  return { number, at: `${ports}/${number}`, tag: headers.etag! };
}
const open = { action: 'open_inner' };
const close = { action: 'close_inner' };
const put = (at: string, ifMatch: string | undefined, body: object = open) =>
  rest(trellis, `put ${at}`, { body, headers: { 'If-Match': ifMatch } });
const httpRule = (port: number, options: object = {}) => ({
  protocol: 'http',
  http: { service_id: service, container_port: port, domain_name: `${unique('www')}.example`, ...options },
});
const contents = () => contentsOf(trellis, (table) => table !== 'access_token');

describe('If-Match', () => {
  it('is documented with the changes of ports and rules and with upgrades, and the tag with the answers that have it', () => {
    const withParameter = (name: string) =>
      routes
        .filter(({ path, method }) =>
          document.paths[path][method].parameters.some(({ $ref }: any) => $ref?.endsWith(`/${name}`)),
        )
        .map(({ operationId }) => operationId);
    expect(withParameter('IfMatch')).toEqual([
      'updatePort',
      'deletePort',
      'createGatewayRule',
      'upgradeApplication',
    ]);
    const withTag = routes.filter(({ path, method }) =>
      document.paths[path][method].responses[200].headers.ETag?.$ref.endsWith('/PortETag'),
    );
    expect(withTag.map(({ operationId }) => operationId)).toEqual(['addPort', 'updatePort']);
  });

  it('takes the tag of the last answer, which is that of the port in GraphQL', async () => {
    const { at, number, tag } = await newPort();
    const opened = await put(at, tag);
    expect([opened.status, opened.body.is_inner_service]).toEqual([200, true]);
    expect(opened.headers.etag).not.toBe(tag);
    const { port } = await trellis.data(
      `{ port(by: { at: { component: { componentId: "${service}" }, number: ${number} } }) { id revision } }`,
    );
    expect(opened.headers.etag).toBe(`"${port.id}.${port.revision}"`);
    // What changes nothing leaves the tag as it is, and compression too.
    const headers = { 'If-Match': opened.headers.etag, 'Accept-Encoding': 'gzip' };
    const again = await rest(trellis, `put ${at}`, { body: open, headers });
    expect([again.status, again.headers.etag, again.headers['content-encoding']]).toEqual([
      200,
      opened.headers.etag,
      undefined,
    ]);
    const gone = await rest(trellis, `delete ${at}`, { headers: { 'If-Match': opened.headers.etag } });
    expect([gone.status, gone.headers.etag]).toEqual([200, undefined]);
  });

  it('is CONFLICT with another tag, which names the revisions, and changes nothing', async () => {
    const [{ at, number, tag }, other] = [await newPort(), await newPort()];
    const current = (await put(at, undefined)).headers.etag!;
    const before = await contents();
    for (const [ifMatch, expected] of [
      [tag, '1'],
      [`"x", ${tag},${tag}`, '1'],
      [`W/${current}`, 'another object'],
      [other.tag, 'another object'],
      ['"2"', 'another object'],
    ] as const) {
      for (const answer of [
        await put(at, ifMatch, close),
        await rest(trellis, `delete ${at}`, { headers: { 'If-Match': ifMatch } }),
        await rest(trellis, `post ${apps}/domains`, {
          body: httpRule(number),
          headers: { 'If-Match': ifMatch },
        }),
      ]) {
        expect(answer.status, answer.text).toBe(409);
        expect(answer.body.detail).toContain(`its revision is 2, but ${expected} was expected`);
      }
    }
    expect(await contents()).toEqual(before);
    for (const ifMatch of ['*', ` ${current} `, `"x",, W/"y" ,${tag} , ${current}`]) {
      expect((await put(at, ifMatch)).status).toBe(200);
    }
  });

  it('of a new rule is the tag of its port, which opening changes', async () => {
    const { at, number, tag } = await newPort();
    const body = httpRule(number, { whether_open: true });
    const created = await rest(trellis, `post ${apps}/domains`, { body, headers: { 'If-Match': tag } });
    expect(created.status, created.text).toBe(200);
    const refused = await put(at, tag);
    expect(refused.body.detail).toContain('its revision is 2, but 1 was expected');
    const tcp = await newPort('tcp');
    const endpoint = { end_point: '0.0.0.0:30999', default_ip: '192.0.2.1', default_port: 1 };
    const rule = { protocol: 'tcp', tcp: { service_id: service, container_port: tcp.number, ...endpoint } };
    for (const [ifMatch, status] of [
      [tag, 409],
      [tcp.tag, 200],
    ] as const) {
      const sent = { body: rule, headers: { 'If-Match': ifMatch } };
      expect((await rest(trellis, `post ${apps}/domains`, sent)).status).toBe(status);
    }
  });

  it('of an upgrade is the tag of the application', async () => {
    const { installed } = upgradesOf(trellis);
    const { key, appId, place } = await installed(1, [() => {}, () => {}, () => {}]);
    const at = `/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/upgrade`;
    const tag = async () => {
      const query = `{ application(by: { appId: ${appId} }) { id revision } }`;
      const { id, revision } = (await trellis.data(query)).application;
      return `"${id}.${revision}"`;
    };
    const to = (version: string, ifMatch: string) => {
      const body = {
        update_versions: [{ market_name: 'self', app_model_id: key, app_model_version: version }],
      };
      return rest(trellis, `post ${at}`, { body, headers: { 'If-Match': ifMatch } });
    };
    const old = await tag();
    expect((await to('2.0.0', old)).status).toBe(200);
    const before = await contents();
    for (const ifMatch of [old, `W/${await tag()}`, '"x"']) {
      const refused = await to('3.0.0', ifMatch);
      expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
      expect(refused.body.detail).toContain('The application has changed');
    }
    expect(await contents()).toEqual(before);
    expect((await to('3.0.0', await tag())).status).toBe(200);
  });

  it('is INVALID_INPUT if it is malformed, with all other issues', async () => {
    const { at, tag } = await newPort();
    const before = await contents();
    for (const ifMatch of [
      '',
      'x',
      tag.slice(1),
      `${tag} ${tag}`,
      `*, ${tag}`,
      `w/${tag}`,
      `${tag},`.repeat(500),
      `${tag}${' , '.repeat(1000)}x`,
    ]) {
      const answer = await put(at, ifMatch, { action: 'none' });
      expect([answer.status, answer.body.issues.map(({ path }: any) => path)]).toEqual([
        400,
        [['action'], ['If-Match']],
      ]);
    }
    expect(await contents()).toEqual(before);
  });

  it('tells nothing of a port that is hidden', async () => {
    const { at, tag } = await newPort();
    const { token } = await trellis.createPerson();
    const sent = (ifMatch: string | undefined, path = at) =>
      rest(trellis, `put ${path}`, { body: open, headers: { 'If-Match': ifMatch }, token });
    const { detail } = (await sent(undefined)).body;
    for (const ifMatch of [tag, '"x"', '*']) {
      expect((await sent(ifMatch)).body).toMatchObject({ code: 'NOT_FOUND', detail });
    }
    const missing = await put(`${ports}/65535`, '*');
    expect(missing.body).toMatchObject({ code: 'NOT_FOUND', detail: 'There is no such port.' });
    expect((await put(`${ports}/65535`, tag)).body.detail).toBe(missing.body.detail);
  });

  it('is part of what an Idempotency-Key was used for, and the tag of what is answered again', async () => {
    const { at, tag } = await newPort();
    const key = unique('key');
    const sent = (ifMatch: string | undefined) =>
      rest(trellis, `put ${at}`, { body: open, headers: { 'If-Match': ifMatch, 'Idempotency-Key': key } });
    const first = await sent(tag);
    const again = await sent(tag);
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
    expect(again.headers.etag).toBe(first.headers.etag);
    expect((await sent(first.headers.etag)).status).toBe(409);
  });
});
