import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, startIssuer, type TestIssuer, trust } from '../../support/token-issuer.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

const canRun = ['bash', 'curl', 'jq'].every((command) => spawnSync(command, ['--version']).status === 0);

const document = readFileSync(new URL('../../../docs/identity.md', import.meta.url), 'utf8');
const script = /```sh\n(TRELLIS_TOKEN=[^`]+)```/.exec(document)![1]!;

describe.skipIf(!canRun)('the pipeline in docs/identity.md', () => {
  let trellis: Trellis;
  let issuer: TestIssuer;
  beforeAll(async () => {
    [trellis, issuer] = [await startTrellis(), await startIssuer()];
  });
  afterAll(async () => {
    await Promise.all([trellis?.close(), issuer?.close()]);
  });

  it('gets an access token, and fails with an explanation', async () => {
    const { team } = await trellis.createAll();
    const account = await createAccount(trellis, team.teamId, 'DEVELOPER', 'pipeline');
    await trust(trellis, issuer, account);
    const run = (token: string) => {
      const env = { ID_TOKEN: token, SERVICE_ACCOUNT: account.serviceAccountId, TRELLIS_URL: trellis.url };
      const text = `set -euo pipefail\n${script}\nprintf %s "$TRELLIS_TOKEN"`;
      return promisify(execFile)('bash', ['-c', text], { env: { PATH: process.env.PATH, ...env } });
    };
    const token = await issuer.token();
    const { stdout } = await run(token);
    const { viewer } = await trellis.data('{ viewer { serviceAccount { name } } }', {}, stdout);
    expect(viewer.serviceAccount.name).toBe('pipeline');
    await expect(run(token)).rejects.toThrow(/400/);
  });
});
