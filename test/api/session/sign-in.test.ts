import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/identity-provider.ts';
import { CookieClient, inSession, signIn } from '../../support/sign-in.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let idp: TestIdentityProvider;
beforeAll(async () => {
  idp = await startIdentityProvider();
  trellis = await startTrellis({ identity: idp.driver({ administratorGroup: 'platform' }) });
  idp.serve(trellis.url);
});
afterAll(async () => {
  await trellis?.close();
  await idp?.close();
});

const viewer =
  '{ viewer { user { uid email nickName origin } session { browser address } accessToken { name } } }';

describe('a sign-in', () => {
  it('makes a user, and returns to the path that was asked for', async () => {
    const client = new CookieClient();
    const response = await signIn(trellis, client, 'alice', '/teams/web?tab=members');
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/teams/web?tab=members');
    const { body } = await inSession(trellis, client, viewer);
    expect(body.data.viewer).toMatchObject({
      user: { email: 'alice@shop.example', nickName: 'Alice Okafor', origin: 'identity_provider' },
      session: { address: '127.0.0.1' },
      accessToken: null,
    });
  });
});
