import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { startProcess } from '../support/process.ts';
import { CookieClient, inSession, signIn } from '../support/sign-in.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createDatabase } from '../support/trellis.ts';

startsProcesses();

const secretKey = randomBytes(32);
const viewer = '{ viewer { user { email } session { uid } } }';

describe('a gateway whose provider is down', () => {
  it('starts, takes access tokens, and signs in once the provider answers', async () => {
    const database = await createDatabase();
    const idp = await startIdentityProvider();
    const folder = mkdtempSync(join(tmpdir(), 'trellis-sign-in-'));
    const secret = join(folder, 'client-secret');
    const { issuer, clientId, clientSecret } = idp.settings();
    writeFileSync(secret, `${clientSecret}\n`);
    const port = await freePort();
    const token = `trl_${'t'.repeat(40)}`;
    const gateway = startProcess({
      PORT: String(port),
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey.toString('hex'),
      BOOTSTRAP_TOKEN: token,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET_FILE: secret,
    });
    try {
      const url = await gateway.listening;
      const refused = await fetch(`${url}/auth/sign-in`);
      expect([refused.status, await refused.text()]).toEqual([
        503,
        expect.stringContaining('does not respond'),
      ]);
      const { status } = await fetch(`${url}/graphql?query={viewer{isAdministrator}}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(status).toBe(200);
      idp.serve(url);
      const client = new CookieClient();
      await signIn({ url }, client, 'alice');
      expect((await inSession({ url }, client, viewer)).body.data.viewer.user.email).toBe(
        'alice@shop.example',
      );
      const { stdout, stderr } = gateway.output();
      const session = client.cookies.get(url)!.get('trellis')!;
      for (const text of [clientSecret!, session, 'code=', 'eyJ'])
        expect(stdout + stderr).not.toContain(text);
    } finally {
      gateway.child.kill();
      await gateway.ended;
      await idp.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
