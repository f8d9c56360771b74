import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sharedRegistryLimits } from '../../../src/drivers/registry/shared.ts';
import {
  image as known,
  type RegistryOptions,
  type RegistryServer,
  startRegistry,
} from '../../support/registry-server.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let careful: Trellis;
let teamId: string;
beforeAll(async () => {
  // Longer than a registry of these tests takes on a busy machine.
  const limits = { callTimeoutMs: 5_000, connectTimeoutMs: 5_000, retryDelaysMs: [] };
  [trellis, careful] = await Promise.all([
    startTrellis({ registry: { limits } }),
    startTrellis({ allowPrivateRegistries: false, registry: { limits } }),
  ]);
  ({ teamId } = await trellis.createTeam());
});
afterAll(() => Promise.all([trellis.close(), careful.close()]));

const servers: RegistryServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function start(options?: RegistryOptions): Promise<RegistryServer> {
  const server = await startRegistry(options);
  servers.push(server);
  return server;
}

const account = { username: 'robot', password: 'PASS-SECRET' };

/** Gives the team a credential for the registry. Ports are used once, so that hosts are unique. */
const credentialFor = ({ host }: RegistryServer, password = account.password) =>
  trellis.succeed(
    'createRegistryCredential',
    { team: { teamId }, host, username: account.username, password },
    '__typename',
  );

const fields =
  'image exists usesCredential digest platforms { os architecture variant } exposedPorts { number protocol }';

async function check(
  image: string,
  { on = trellis, team = teamId, token = undefined as string | undefined } = {},
) {
  const query = `query($team: String!, $image: String!) { checkImage(team: { teamId: $team }, image: $image) { ${fields} } }`;
  const { data, errors } = await on.graphql(query, { team, image }, token);
  const [error] = errors ?? [];
  expect(JSON.stringify({ data, errors })).not.toContain(account.password);
  if (!error) return data.checkImage;
  return { code: error.extensions.code, message: error.message };
}

const web = ({ host }: RegistryServer, reference = ':1.0') => `${host}/shop/web${reference}`;

const exposedPorts = [
  { number: 53, protocol: 'udp' },
  { number: 443, protocol: 'tcp' },
  { number: 8080, protocol: 'tcp' },
];
const amd64 = { os: 'linux', architecture: 'amd64', variant: null };

describe('checkImage', () => {
  it('answers the digest, the platforms and the ports of an image', async () => {
    const server = await start();
    const found = { exists: true, usesCredential: false, exposedPorts };
    expect(await check(web(server))).toEqual({
      ...found,
      image: web(server),
      digest: known.digest,
      platforms: [amd64, { os: 'linux', architecture: 'arm64', variant: 'v8' }],
    });
    const single = { ...found, digest: known.single, platforms: [amd64] };
    expect(await check(web(server, ':single'))).toEqual({ ...single, image: web(server, ':single') });
    const byDigest = web(server, `:ignored@${known.single}`);
    expect(await check(byDigest)).toEqual({ ...single, image: web(server, `@${known.single}`) });
    expect(server.requests.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  it('says that an image is missing', async () => {
    const server = await start();
    const missing = { exists: false, digest: null, platforms: [], exposedPorts: [] };
    for (const image of [web(server, ':2.0'), web(server, ''), `${server.host}/nobody:1.0`]) {
      expect(await check(image)).toMatchObject(missing);
    }
    expect(await check(web(server, ''))).toMatchObject({ image: web(server, ':latest') });
  });

  it.each(['bearer', 'basic'] as const)('sends the credential of the team as %s', async (scheme) => {
    const server = await start({ account, scheme });
    expect(await check(web(server))).toMatchObject({ code: 'REGISTRY_REFUSED' });
    await credentialFor(server);
    server.requests.length = 0;
    expect(await check(web(server))).toMatchObject({ exists: true, usesCredential: true });
    const tokens = server.requests.filter(({ url }) => url.pathname === '/token');
    expect(tokens.map(({ url }) => url.search)).toEqual(
      scheme === 'bearer' ? ['?service=test&scope=repository%3Ashop%2Fweb%3Apull'] : [],
    );
    // Another team has no credential.
    const other = await trellis.createTeam();
    expect(await check(web(server), { team: other.teamId })).toMatchObject({ code: 'REGISTRY_REFUSED' });
  });

  it('reports a wrong password', async () => {
    const server = await start({ account });
    await credentialFor(server, 'wrong');
    expect(await check(web(server))).toEqual({
      code: 'REGISTRY_REFUSED',
      message: 'The registry responded with status 401. Check the registry credential of its host.',
    });
  });

  it('follows redirects to other hosts without a token', async () => {
    const other = await start();
    const server = await start({ account, blobHost: () => other.host });
    await credentialFor(server);
    expect(await check(web(server))).toMatchObject({ exists: true, exposedPorts });
    expect(other.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('does not send the credential to a host of another domain', async () => {
    const other = await start();
    const server = await start({ account, realm: () => `http://${other.host}/token` });
    await credentialFor(server);
    expect(await check(web(server))).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    expect(other.requests).toEqual([]);
  });

  it('ends redirects that go round in a circle', async () => {
    const server = await start({
      respond: (request, response) =>
        !!response.writeHead(302, { Location: request.url! }).end() && server.requests.length > 0,
    });
    expect(await check(web(server))).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    expect(server.requests).toHaveLength(4);
  });

  it('refuses private addresses unless they are allowed, also behind redirects', async () => {
    const server = await start();
    const { teamId: team } = await careful.createTeam();
    const refusal = {
      code: 'REGISTRY_UNAVAILABLE',
      message: 'The address of the registry is not allowed.',
    };
    for (const image of [web(server), `localhost:${server.host.split(':')[1]}/shop/web`, '10.0.0.1/a']) {
      expect(await check(image, { on: careful, team })).toEqual(refusal);
    }
    expect(server.requests).toEqual([]);
  });

  it.each<[string, NonNullable<RegistryOptions['respond']>]>([
    ['a manifest of 10 MB', (_, response) => !!response.end(`"${'a'.repeat(10_000_000)}"`)],
    ['no JSON', (_, response) => !!response.end('<html>')],
    ['no manifest', (_, response) => !!response.end('{}')],
    ['too many values', (_, response) => !!response.end(`[${'1,'.repeat(300_000)}1]`)],
    ['too deep a value', (_, response) => !!response.end('['.repeat(200_000))],
    ['an image with another digest', (_, response) => !!response.end('{"config":{"digest":"sha256:00"}}')],
    ['an error', (_, response) => !!response.writeHead(500).end()],
    ['a token that is none', tokenOf('a\nb')],
    ['no connection', (request) => !!request.socket.destroy()],
    ['nothing', () => true],
    ['half an answer', (_, response) => !!response.writeHead(200, { 'Content-Length': 9 }).write('{')],
  ])('reports a registry that sends %s', async (_, respond) => {
    const server = await start({ respond });
    expect(await check(web(server, `@${known.digest}`))).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  });

  it('refuses what is no image reference, and asks nobody', async () => {
    for (const image of [
      'Shop/Web',
      'a b',
      'web:',
      'web@sha256:1',
      '://x',
      'registry.example/',
      '-.example/a',
    ]) {
      const result = await check(image);
      expect(result.code, image).toBe('INVALID_INPUT');
    }
  });

  it('is for developers', async () => {
    const server = await start();
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    const developer = await trellis.createMember(teamId, 'DEVELOPER');
    expect(await check(web(server), { token: viewer.token })).toMatchObject({ code: 'FORBIDDEN' });
    expect(server.requests).toEqual([]);
    expect(await check(web(server), { token: developer.token })).toMatchObject({ exists: true });
  });

  it('asks for a few images of a team at once', async () => {
    const waiting: (() => void)[] = [];
    let underWay = 0;
    let most = 0;
    const server = await start({
      respond: (_, response) => {
        most = Math.max(most, ++underWay);
        waiting.push(() => {
          underWay--;
          response.writeHead(404).end();
        });
        setImmediate(() => waiting.shift()!());
        return true;
      },
    });
    const checks = Array.from({ length: 12 }, (_, index) => check(web(server, `:${index}`)));
    for (const result of await Promise.all(checks)) expect(result).toMatchObject({ exists: false });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(sharedRegistryLimits.callsOfTeam);
  });
});

/** Asks for a token and sends this one. */
function tokenOf(token: string): NonNullable<RegistryOptions['respond']> {
  return (request, response) => {
    if (request.url!.startsWith('/token')) return !!response.end(JSON.stringify({ token }));
    const realm = `http://${request.headers.host}/token`;
    return !!response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="${realm}"` }).end();
  };
}
