import { existsSync } from 'node:fs';
import { type BrowserContext, chromium } from 'playwright-core';

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium that is installed here, if any. Playwright's own would be a download of 150 MB. */
export function findChromium(): string | undefined {
  return PLACES.find((path) => path && existsSync(path));
}

export interface TestBrowser {
  context: BrowserContext;
  /** The hosts other than 127.0.0.1 that pages asked for. No such request leaves the machine. */
  foreignHosts: string[];
  close(): Promise<void>;
}

export async function launchBrowser(): Promise<TestBrowser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('No Chromium found: install one or set CHROMIUM_PATH.');
  const browser = await chromium.launch({ executablePath, args: ARGS });
  const context = await browser.newContext({
    // Requests of a service worker would pass by the routes below.
    serviceWorkers: 'block',
    viewport: { width: 1440, height: 900 },
    // Without graphics hardware, what moves is drawn by the processor.
    reducedMotion: 'reduce',
  });

  const foreignHosts: string[] = [];
  const isForeign = (url: URL) => /^(https?|wss?):$/.test(url.protocol) && url.hostname !== '127.0.0.1';
  await context.route(isForeign, async (route) => {
    foreignHosts.push(new URL(route.request().url()).hostname);
    await route.abort('blockedbyclient');
  });
  await context.routeWebSocket(isForeign, async (socket) => {
    foreignHosts.push(new URL(socket.url()).hostname);
    await socket.close();
  });

  return { context, foreignHosts, close: () => browser.close() };
}
