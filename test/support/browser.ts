import { type BrowserContext, chromium } from 'playwright-core';
import { inject } from 'vitest';
import { once } from './built.ts';
import { onWorkerEnd } from './worker-end.ts';

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No request leaves the machine. Routes would see to that as well, but pages with routes have no cache.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  `--disable-features=${[
    // As Playwright does, whose list this one replaces.
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'MediaRouter',
    'OptimizationHints',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    // Each window would load the pages of a menu that nobody opens, a second of work.
    'WebUIOmniboxAimPopup',
    'WebUIOmniboxFullPopup',
    'WebUIOmniboxPopup',
  ].join()}`,
];

/** The size of windows at first. */
export const viewport = { width: 1440, height: 900 };

declare module 'vitest' {
  interface TaskMeta {
    /** Set on tests that are skipped where there is no browser. */
    needsBrowser?: boolean;
  }
}

/** The options of a suite in a browser. Where there is none it is skipped, and the end of the run says so. */
export const inBrowser = { skip: 'reason' in inject('chromium'), meta: { needsBrowser: true } };

export interface TestBrowser {
  context: BrowserContext;
  /** The hosts other than 127.0.0.1 that pages asked for. No such request leaves the machine. */
  foreignHosts: string[];
  close(): Promise<void>;
}

/** The browser of this worker, which is started for its first file and shared by the others. */
const sharedBrowser = once(async () => {
  const found = inject('chromium');
  if ('reason' in found) throw new Error(found.reason);
  const { executablePath, env } = found;
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: ARGS,
    // Playwright would handle the signal that ends a worker, which then would not end.
    handleSIGTERM: false,
  });
  onWorkerEnd(() => browser.close());
  return browser;
});

/** A window of the worker's browser, which shares no page, storage or cache with those of other files. */
export async function launchBrowser(): Promise<TestBrowser> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    serviceWorkers: 'block',
    viewport,
    // Otherwise the language is that of the machine, which can be none that the browser itself accepts.
    locale: 'en-US',
    // Without graphics hardware, what moves is drawn by the processor.
    reducedMotion: 'reduce',
  });
  // Several browsers can share a core.
  context.setDefaultTimeout(60_000);

  const foreignHosts: string[] = [];
  const note = (address: string) => {
    const { protocol, hostname } = new URL(address);
    if (/^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1') foreignHosts.push(hostname);
  };
  context.on('request', (request) => note(request.url()));
  context.on('page', (page) => page.on('websocket', (socket) => note(socket.url())));

  return { context, foreignHosts, close: () => context.close() };
}
