import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../support/send.ts';
import {
  createAccount,
  exchange,
  exchanged,
  exchangeGrant,
  idToken,
  sendForm,
  startIssuer,
  type TestIssuer,
  trust,
} from '../../support/token-issuer.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let issuer: TestIssuer;
beforeAll(async () => {
  trellis = await startTrellis();
  issuer = await startIssuer('ES256');
  const { team } = await trellis.createAll();
  await trust(trellis, issuer, await createAccount(trellis, team.teamId));
});
afterAll(async () => {
  await Promise.all([trellis?.close(), issuer?.close()]);
});

const form = (parameters: Record<string, string> = {}) =>
  new URLSearchParams({
    grant_type: exchangeGrant,
    subject_token: 'x',
    subject_token_type: idToken,
    ...parameters,
  });

describe('POST /auth/token', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['no grant_type', { grant_type: '' }, 'invalid_request', 'The parameter grant_type is required.'],
    [
      'another grant_type',
      { grant_type: 'client_credentials' },
      'unsupported_grant_type',
      `The grant_type must be ${exchangeGrant}.`,
    ],
    [
      'no subject_token',
      { subject_token: '' },
      'invalid_request',
      'The parameter subject_token is required.',
    ],
    [
      'another subject_token_type',
      { subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
      'invalid_request',
      `The subject_token_type must be ${idToken} or urn:ietf:params:oauth:token-type:jwt.`,
    ],
    [
      'another requested_token_type',
      { requested_token_type: idToken },
      'invalid_request',
      'The requested_token_type must be urn:ietf:params:oauth:token-type:access_token.',
    ],
    [
      'an actor_token',
      { actor_token: 'x' },
      'invalid_request',
      'The parameter actor_token is not supported.',
    ],
    ['a resource', { resource: 'https://x' }, 'invalid_request', 'The parameter resource is not supported.'],
    ['a scope', { scope: 'a' }, 'invalid_scope', 'Scopes are not supported: the trust says what is allowed.'],
  ])('refuses %s', async (_, parameters, error, description) => {
    const { status, headers, body } = await sendForm(trellis, form(parameters).toString());
    expect(status).toBe(400);
    expect(body).toEqual({ error, error_description: description });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': /^application\/json/ });
  });

  it('accepts a JWT by its other type, in any case of the media type, and ignores unknown parameters', async () => {
    const parameters = { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt', other: 'x', scope: '' };
    await exchanged(trellis, await issuer.token(), parameters);
    const body = form({ subject_token: await issuer.token() }).toString();
    const type = { 'Content-Type': 'Application/X-WWW-Form-URLencoded; charset=UTF-8' };
    expect((await sendForm(trellis, body, type)).status).toBe(200);
    // Sent in chunks.
    expect((await sendForm(trellis, [form({ subject_token: await issuer.token() }).toString()])).status).toBe(
      200,
    );
  });

  it.each(['grant_type', 'subject_token', 'subject_token_type', 'audience'])(
    'refuses %s twice',
    async (name) => {
      const body = form({ subject_token: await issuer.token(), audience: '0'.repeat(32) });
      body.append(name, 'x');
      expect((await sendForm(trellis, body.toString())).body).toEqual({
        error: 'invalid_request',
        error_description: `The parameter ${name} must not be repeated.`,
      });
    },
  );

  it.each([
    ['JSON', 'application/json'],
    ['a multipart form', 'multipart/form-data; boundary=x'],
    ['no media type', undefined],
  ])('refuses %s', async (_, type) => {
    const body = form({ subject_token: await issuer.token() }).toString();
    const { status, body: answer } = await sendForm(trellis, body, { 'Content-Type': type });
    expect(status).toBe(400);
    expect(answer.error_description).toBe('The body must be application/x-www-form-urlencoded.');
  });

  it('refuses other methods, and does not take parameters from the address', async () => {
    const token = await issuer.token();
    const path = `/auth/token?${form({ subject_token: token })}`;
    const { status, headers, body } = await send(trellis, { path, token: null });
    expect([status, headers.allow, body.error]).toEqual([405, 'POST', 'invalid_request']);
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await send(trellis, { path, method: 'POST', body: '', headers: type, token: null })).toMatchObject(
      {
        status: 400,
        body: { error: 'invalid_request' },
      },
    );
  });

  it.each([70_000, 2_000_000])('refuses %d bytes', async (size) => {
    const { status, body } = await sendForm(trellis, `subject_token=${'x'.repeat(size)}`);
    expect([status, body.error]).toEqual([413, 'invalid_request']);
  });

  // form.long.once.test.ts measures how long that takes.
  it('reads many parameters', async () => {
    expect((await sendForm(trellis, `${form()}${'&a=b'.repeat(15_000)}`)).status).toBe(400);
  });

  it.each(['%', '%ff=%fe&=&&', '\0', 'a'.repeat(1_000), '&'.repeat(1_000), ''])(
    'refuses garbage',
    async (body) => {
      expect((await sendForm(trellis, body)).body.error).toBe('invalid_request');
    },
  );

  it('answers a body that never arrives, and ignores an access token that is sent along', async () => {
    const { hostname, port } = new URL(trellis.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na',
    );
    socket.on('error', () => {});
    const body = form({ subject_token: await issuer.token() }).toString();
    const { status } = await sendForm(trellis, body, { Authorization: 'Bearer trl_wrong' });
    expect(status).toBe(200);
    socket.destroy();
  });

  it('describes errors in the characters of the standard', async () => {
    const { body } = await exchange(trellis, '"\\é');
    expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});
