import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

/** What the server says to these bytes, until it closes the connection. */
async function say(bytes: string): Promise<{ status: number; headers: string; body: any }> {
  const { hostname, port } = new URL(trellis.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(Buffer.from(bytes, 'latin1'));
  await once(socket, 'close');
  const [headers, body] = answer.split('\r\n\r\n');
  return { status: Number(answer.split(' ')[1]), headers: headers!, body: body && JSON.parse(body) };
}

const start = 'GET /openapi/v1/teams';
const host = 'Host: trellis.example\r\n';

describe('an invalid HTTP request', () => {
  it.each<[title: string, status: number, bytes: string]>([
    ['no words of HTTP', 400, 'hello\r\n\r\n'],
    ['an unknown method', 400, `FROBNICATE /graphql HTTP/1.1\r\n${host}\r\n`],
    ['a control character in the target', 400, `${start}/\u0001 HTTP/1.1\r\n${host}\r\n`],
    ['a header without a colon', 400, `${start} HTTP/1.1\r\n${host}nonsense\r\n\r\n`],
    ['two lengths', 400, `POST /graphql HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
    ['a target that is too long', 431, `${start}?query=${'x'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`],
  ])('%s is answered %i, with a problem document and a request id', async (_, status, bytes) => {
    const answer = await say(bytes);
    expect(answer.status).toBe(status);
    expect(answer.headers).toContain('Content-Type: application/problem+json');
    expect(answer.body).toMatchObject({ status, code: 'INVALID_INPUT', issues: [{ path: [] }] });
    expect(answer.headers).toContain(`X-Request-Id: ${answer.body.requestId}`);
    expect(trellis.logged.some(({ requestId }) => requestId === answer.body.requestId)).toBe(true);
  });

  it.each([
    ['/openapi/v1/teams', ''],
    ['/healthz', ''],
    ['/healthz', host + host],
    ['/openapi/v1/teams', `${host}host: other.example\r\n`],
  ])('has one Host header: %s', async (path, headers) => {
    const answer = await say(`GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', issues: [{ message: 'The request must have one Host header.' }] },
    });
    expect(answer.headers).toContain(`X-Request-Id: ${answer.body.requestId}`);
  });

  it('of HTTP/1.0 needs no Host header', async () => {
    const answer = await say('GET /healthz HTTP/1.0\r\n\r\n');
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it.each([
    ['/healthz', 200],
    ['/openapi/v1/teams', 401],
    ['?x=1', 200],
  ])('names its target with scheme and host: %s', async (path, status) => {
    const answer = await say(
      `GET http://trellis.example${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(status);
  });

  it('an unknown Expect header is ignored', async () => {
    const answer = await say(`GET /healthz HTTP/1.1\r\n${host}Expect: nonsense\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});
