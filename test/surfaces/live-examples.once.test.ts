import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow } from '../clients/live.ts';
import { inBrowser, launchBrowser } from '../support/browser.ts';
import { type StoreServer, startStoreServer } from '../support/store-server.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

/** A page on an origin of its own. */
let site: StoreServer;
let content: Record<string, string> = {};
let trellis: Trellis;
beforeAll(async () => {
  site = await startStoreServer(({ url }, response) => {
    const type = url?.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'Content-Type': type }).end(content[url!] ?? '');
  });
  trellis = await startTrellis({ corsOrigins: [site.url] });
});
afterAll(async () => {
  await trellis?.close();
  await site?.close();
});

/** A proxy whose connections can be cut. */
async function startProxy() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(new URL(trellis.url).port), '127.0.0.1');
    sockets.add(socket);
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) each.on('error', () => {});
    socket.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const rename = (teamId: string, alias: string) =>
  trellis.succeed('updateTeam', { team: { teamId }, alias }, 'team { alias }');
const subscription =
  'subscription Events($team: TeamRef!) { events(team: $team) { changes { after: newValue } } }';

describe('live.ts', () => {
  it('goes on behind the last item when the connection was lost', async () => {
    const { name, teamId } = await trellis.createTeam();
    const proxy = await startProxy();
    const told: unknown[] = [];
    const left = new AbortController();
    const live = { url: proxy.url, token: trellis.adminToken, subscription, variables: { team: { name } } };
    const ended = follow({ ...live, signal: left.signal }, (item) => {
      told.push(item ? item.data.events.changes[0].after : 'begun');
    });
    await expect.poll(() => told).toEqual(['begun']);
    await rename(teamId, 'One');
    await expect.poll(() => told).toEqual(['begun', 'One']);
    proxy.cut();
    await rename(teamId, 'Two');
    await expect.poll(() => told, { timeout: 90_000 }).toEqual(['begun', 'One', 'Two']);
    left.abort();
    await ended;
    proxy.cut();
    await proxy.close();
  });

  it('ends with the reason when it is refused', async () => {
    const codes: unknown[] = [];
    const live = { url: trellis.url, token: trellis.adminToken, subscription };
    const { signal } = new AbortController();
    await follow({ ...live, variables: { team: { name: 'nowhere' } }, signal }, (item) => {
      if (item) codes.push(item.errors[0].extensions.code);
    });
    await follow({ ...live, token: 'x', variables: {}, signal }, (item) => {
      if (item) codes.push(item.errors[0].extensions.code);
    });
    expect(codes).toEqual(['NOT_FOUND', 'UNAUTHENTICATED']);
  });
});

describe('applications.tsx', inBrowser, () => {
  it('shows what changes, on another origin', async () => {
    const place = await trellis.createPlace();
    const first = await trellis.createApplication(place, 'First');
    const props = { url: trellis.url, token: trellis.adminToken, team: place.team.name };
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createRoot } from 'react-dom/client';
          import { Applications } from './applications.tsx';
          createRoot(document.querySelector('main')).render(<Applications {...props} />);`,
        loader: 'tsx',
        resolveDir: fileURLToPath(new URL('../clients', import.meta.url)),
      },
      bundle: true,
      write: false,
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    content = {
      '/': `<!doctype html><title>Applications</title><main></main>
        <script>const props = ${JSON.stringify(props)}</script><script src="/page.js"></script>`,
      '/page.js': outputFiles[0]!.text,
    };
    const browser = await launchBrowser();
    const page = await browser.context.newPage();
    await page.goto(site.url);
    const names = () => page.locator('li').allTextContents();
    await expect.poll(names).toEqual(['First']);
    await trellis.createApplication(place, 'Second');
    await expect.poll(names).toEqual(['First', 'Second']);
    const application = { appId: first.appId };
    await trellis.succeed('updateApplication', { application, name: 'Renamed' }, '__typename');
    await expect.poll(names).toEqual(['Renamed', 'Second']);
    await browser.close();
  });
});
