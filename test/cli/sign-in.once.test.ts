import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCli } from '../support/cli.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { CookieClient, signIn } from '../support/sign-in.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
const newSecret = () => randomBytes(32).toString('base64url');

/** The gateway and its provider, and the folder of a user's settings. */
async function start(hasDeviceFlow: boolean) {
  const idp = await startIdentityProvider({ hasDeviceFlow });
  const trellis = await startTrellis({ identity: idp.driver() });
  idp.serve(trellis.url);
  const folder = mkdtempSync(join(tmpdir(), 'trellis-login-'));
  return {
    idp,
    trellis,
    folder,
    async close() {
      rmSync(folder, { recursive: true, force: true });
      await trellis.close();
      await idp.close();
    },
  };
}

/** Runs `trellis login --web` with a browser that the test is. Its first argument is the address. */
async function login({ url }: Trellis, folder: string, open: (address: string) => Promise<void>) {
  const [seen, browser] = [join(folder, 'address'), join(folder, 'browser.sh')];
  rmSync(seen, { force: true });
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${seen}.part" && mv "${seen}.part" "${seen}"\n`, {
    mode: 0o755,
  });
  const env = { HOME: folder, XDG_CONFIG_HOME: '', BROWSER: browser };
  const watcher = watch(folder);
  const opened = new Promise<void>((resolve) => {
    watcher.on('change', () => existsSync(seen) && resolve());
  });
  const ended = runCli(['login', url, '--web'], { env });
  const early = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  await Promise.race([opened, early]).finally(() => watcher.close());
  const address = readFileSync(seen, 'utf8');
  await open(address);
  const stored = () => JSON.parse(readFileSync(join(folder, '.config/trellis/credentials.json'), 'utf8'));
  return { ...(await ended), address, stored };
}

const tokens = '{ viewer { user { email } accessToken { name expiresAt isReadOnly } } }';

describe('trellis login with a browser', () => {
  let world: Awaited<ReturnType<typeof start>>;
  let client: CookieClient;
  beforeAll(async () => {
    world = await start(false);
    client = new CookieClient();
    await signIn(world.trellis, client, 'alice');
  });
  afterAll(() => world?.close());

  /** The address that leads to the command line, once the person has allowed it. */
  async function allowed(address: string, browser = client): Promise<Response> {
    const page = await (await browser.fetch(address)).text();
    const [, href] = /href="(\/auth\/cli\/allow[^"]+)"/.exec(page)!;
    return browser.fetch(world.trellis.url + href);
  }

  const pageFor = (challenge: string, port = '4999', state = 's'.repeat(32)) =>
    `${world.trellis.url}/auth/cli?${new URLSearchParams({ port, challenge, state })}`;

  const redeem = async (code: string, verifier: string) => {
    const response = await fetch(`${world.trellis.url}/auth/cli/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, verifier }),
    });
    return { status: response.status, body: (await response.json()) as any };
  };

  it('keeps a token of the user, once it is allowed in the browser', async () => {
    const { trellis, folder } = world;
    const { status, stdout, stderr, address, stored } = await login(trellis, folder, async (address) => {
      const shown = await (await client.fetch(address)).text();
      const [code] = /[0-9A-F]{4}-[0-9A-F]{4}/.exec(shown)!;
      expect(shown).toContain('alice@shop.example');
      expect(shown).toContain(code);
      const location = (await allowed(address)).headers.get('location')!;
      // What another page sends does not end the wait.
      const { origin } = new URL(location);
      expect((await fetch(`${origin}/?code=evil&state=evil`)).status).toBe(400);
      expect((await fetch(location)).status).toBe(200);
    });
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining(`Signed in to ${trellis.url} as Alice Okafor.`),
    ]);
    expect(stderr).toContain(address);
    const { viewer } = await trellis.data(tokens, {}, stored().token);
    expect(viewer).toMatchObject({
      user: { email: 'alice@shop.example' },
      accessToken: { name: 'trellis login', isReadOnly: false },
    });
    const days = (new Date(viewer.accessToken.expiresAt).getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect(stdout + stderr).not.toContain(stored().token);
  });

  it('signs the browser in first', async () => {
    const page = pageFor(challengeOf(newSecret()));
    const response = await new CookieClient().fetch(page);
    expect(response.status).toBe(303);
    const to = new URL(response.headers.get('location')!, world.trellis.url).searchParams.get('to')!;
    const other = new CookieClient();
    const back = await signIn(world.trellis, other, 'bob', to);
    expect(new URL(back.headers.get('location')!, world.trellis.url).searchParams.get('port')).toBe('4999');
  });

  it('leads to loopback alone', async () => {
    for (const port of ['80', '1023', '65536', '4999@evil.example', '4999.evil', '-1', '']) {
      expect((await client.fetch(pageFor(challengeOf(newSecret()), port))).status, port).toBe(400);
    }
    const response = await allowed(pageFor(challengeOf(newSecret())));
    expect(response.headers.get('location')).toMatch(
      /^http:\/\/127\.0\.0\.1:4999\/\?code=v2\.[\w-]{8}\.[\w-]+&state=s{32}$/,
    );
  });

  it('gives the token to who has the verifier, and to nobody else', async () => {
    const verifier = newSecret();
    const location = (await allowed(pageFor(challengeOf(verifier)))).headers.get('location')!;
    const code = new URL(location).searchParams.get('code')!;
    expect(await redeem(code, newSecret())).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await redeem(code, challengeOf(verifier))).toMatchObject({ status: 403 });
    expect(await redeem(`${code.slice(0, -4)}AAAA`, verifier)).toMatchObject({ status: 403 });
    expect(await redeem(code, verifier)).toMatchObject({
      status: 200,
      body: { user: { email: 'alice@shop.example' } },
    });
    expect(await redeem(code, verifier)).toMatchObject({
      status: 403,
      body: { detail: 'The code was already used. Run “trellis login” again.' },
    });
  });

  it('cannot be allowed by a link, or in the session of another browser', async () => {
    const url = `${world.trellis.url}/auth/cli/allow`;
    expect((await client.fetch(url)).status).toBe(403);
    expect((await client.fetch(`${url}?confirmation=v1.AAAA`)).status).toBe(403);
    const attacker = new CookieClient();
    await signIn(world.trellis, attacker, 'bob');
    const page = await (await attacker.fetch(pageFor(challengeOf(newSecret())))).text();
    const [, href] = /href="(\/auth\/cli\/allow[^"]+)"/.exec(page)!;
    expect((await client.fetch(world.trellis.url + href)).status).toBe(403);
    expect((await new CookieClient().fetch(world.trellis.url + href)).status).toBe(403);
  });

  it('gives no token when the session has ended in between', async () => {
    const verifier = newSecret();
    const browser = new CookieClient();
    await signIn(world.trellis, browser, 'alice');
    const location = (await allowed(pageFor(challengeOf(verifier)), browser)).headers.get('location')!;
    const headers = { origin: world.trellis.url };
    await browser.fetch(`${world.trellis.url}/auth/sign-out`, { method: 'POST', headers });
    const code = new URL(location).searchParams.get('code')!;
    expect(await redeem(code, verifier)).toMatchObject({ status: 401 });
  });
});

describe('trellis login on another device', () => {
  let world: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    world = await start(true);
  });
  afterAll(() => world?.close());

  /** Enters the code at the provider, and signs in there. */
  async function confirm(idp: TestIdentityProvider, address: string, account: string): Promise<void> {
    const client = new CookieClient();
    let page = await (await client.fetch(address)).text();
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1];
    const post = (body: Record<string, string>) =>
      client.fetch(`${idp.issuer}/device`, { method: 'POST', body: new URLSearchParams(body) });
    let response = await post({ xsrf: field('xsrf')!, user_code: field('user_code')! });
    page = await response.text();
    if (page.includes('name="confirm"') || page.includes('value="yes"')) {
      response = await post({ xsrf: field('xsrf')!, user_code: field('user_code')!, confirm: 'yes' });
    }
    for (let steps = 0; steps < 5 && response.headers.get('location'); steps++) {
      const next = new URL(response.headers.get('location')!, idp.issuer);
      response = next.pathname.startsWith('/interaction/')
        ? await client.fetch(`${next}?account=${account}`, { method: 'POST' })
        : await client.fetch(next);
    }
    expect(response.status).toBe(200);
  }

  it('keeps a token of the user who has entered the code', async () => {
    const { trellis, idp, folder } = world;
    const { status, stderr, stored } = await login(trellis, folder, (address) =>
      confirm(idp, address, 'bob'),
    );
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^Open http:\S+\/device in a browser, and enter the code [\w-]+\.\n$/),
    ]);
    const { viewer } = await trellis.data(tokens, {}, stored().token);
    expect(viewer).toMatchObject({
      user: { email: 'bob@shop.example' },
      accessToken: { name: 'trellis login' },
    });
  });

  it('asks the provider about a device once a second, however often the command line asks', async () => {
    const { trellis, idp } = world;
    const post = (path: string, body: object) =>
      fetch(trellis.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { handle } = (await (await post('/auth/device', {})).json()) as any;
    const before = idp.tokenRequests;
    const poll = async () => (await post('/auth/device/token', { handle })).status;
    // Other timers go on: the clients of HTTP on both sides need theirs.
    const due: (() => void)[] = [];
    const { setTimeout: start } = globalThis;
    const startUnlessSecond = (work: () => void, ms?: number) => {
      if (ms !== 1_000) return start(work, ms);
      due.push(work);
      return start(() => {}, 0);
    };
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(startUnlessSecond as never);
    onTestFinished(() => timers.mockRestore());
    const polls = await Promise.all(Array.from({ length: 20 }, poll));
    expect(new Set(polls)).toEqual(new Set([202]));
    expect(await poll()).toBe(202);
    expect(idp.tokenRequests).toBe(before + 1);
    for (const work of due) work();
    expect(await poll()).toBe(202);
    expect(idp.tokenRequests).toBe(before + 2);
  });

  it('does not take a handle that the gateway has not made', async () => {
    const response = await fetch(`${world.trellis.url}/auth/device/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'v1.AAAA' }),
    });
    expect([response.status, ((await response.json()) as any).code]).toEqual([403, 'FORBIDDEN']);
  });

  it('is refused where a gateway has no provider', async () => {
    const plain = await startTrellis();
    try {
      const args = ['login', plain.url, '--web'];
      const { status, stderr } = await runCli(args, { env: { HOME: world.folder } });
      expect([status, stderr]).toEqual([1, expect.stringContaining('has no identity provider')]);
    } finally {
      await plain.close();
    }
  });
});
