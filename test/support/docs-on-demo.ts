import { join } from 'node:path';
import { expect } from 'vitest';
import { routes } from '../../src/api.ts';
import type { TestBrowser } from './browser.ts';
import { built } from './built.ts';
import { documentedExample, executeAll, inDemo } from './docs-page.ts';
import { document } from './openapi.ts';
import { addressOf } from './operations-rest.ts';
import { root, start, temporaryFolder } from './production.ts';
import { send } from './send.ts';

/** The page of the documents at an address, and what the browser complained of. */
export async function openDocs({ context }: TestBrowser, address: string) {
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.on('pageerror', (error) => problems.push(error.message));
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  await tab.goto(address);
  await tab.getByText('List teams').waitFor();
  return { tab, problems };
}

/**
 * Executes operations of both documents on their page, with the documented examples, on a fresh demo. Returns how many of
 * the contract.
 */
export async function executeOnDemo(
  browser: TestBrowser,
  isExecuted: (operationId: string) => boolean,
): Promise<number> {
  const folder = temporaryFolder('docs');
  const demo = start(root, [process.execPath, join(built(), 'commands/demo.js')], {
    PORT: '0',
    DATABASE_URL: `file:${folder.path}/demo.db`,
  });
  const [, address] = await demo.printed(/^ +REST +(\S+)$/m);
  const [, token] = await demo.printed(/^ +Token +(\S+)$/m);
  const { tab, problems } = await openDocs(browser, address!);
  expect(await tab.locator('.opblock').count()).toBe(routes.length);
  expect(tab.url()).toBe(address!.replace(/#.*/, ''));

  const answers: [string, string][] = [];
  for (const { operationId } of Object.values<any>(document.paths).flatMap((at) => Object.values<any>(at))) {
    if (!isExecuted(operationId)) continue;
    const operation = tab.locator(`.opblock[id$="-${operationId}"]`);
    await operation.locator('.opblock-summary-control').first().click();
    await operation.locator('.responses-wrapper').first().waitFor();
    const body = operation.locator('textarea.body-param__text');
    if (operationId === 'installApplication') {
      // The demo listens on a port of its own here, and no document can hold an access key.
      const example = (await body.inputValue()).replace('http://127.0.0.1:4000', new URL(address!).origin);
      await body.fill(example.replace('<API_KEY>', token!));
    }
    if (operationId === 'updatePort') {
      await operation.getByText('change_port_alias').first().waitFor({ state: 'attached' });
    }
    await operation.locator('.execute').click();
    const status = operation.locator('.live-responses-table .response .response-col_status').last();
    const text = (await status.innerText({ timeout: 60_000 })).trim().split('\n')[0]!;
    answers.push([operationId, text]);
    await operation.locator('.opblock-summary-control').first().click();
  }
  expect(answers.filter(([, status]) => status !== '200')).toEqual([]);

  // The other document is shown in place, with the same token.
  await tab.getByRole('link', { name: 'All operations' }).click();
  await tab.getByRole('heading', { name: 'Trellis operations' }).waitFor();
  const [first, last] = [inDemo[0]!, inDemo.at(-1)!];
  expect(await executeAll(tab, [first, last])).toEqual([
    [first.path, '200'],
    [last.path, '200'],
  ]);
  // The page sends the documented examples: those of the other reads are sent here, which costs no work of a browser.
  expect(inDemo.length).toBeGreaterThan(40);
  const sent = await Promise.all(
    inDemo.map(async (operation) => {
      const given = documentedExample(operation);
      const answer = await send(
        { url: new URL(address!).origin, adminToken: token! },
        { path: addressOf(operation, given) },
      );
      return [operation.path, answer.status, given] as const;
    }),
  );
  expect(sent.filter(([, status]) => status !== 200)).toEqual([]);
  expect(problems).toEqual([]);
  expect(browser.foreignHosts).toEqual([]);
  expect(await tab.evaluate('JSON.stringify(localStorage)')).not.toContain(token);
  await tab.close();
  await demo.stop();
  folder.remove();
  return answers.length;
}
