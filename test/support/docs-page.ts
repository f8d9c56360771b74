import type { Locator, Page } from 'playwright-core';
import { groupBy } from '../../src/kernel/group.ts';
import { tagOf } from '../../src/operations/openapi/tags.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from './operations.ts';
import { operationsOpenapi } from './operations-rest.ts';

/** Executes an operation that is listed, with its example unless an input is given. Returns the status. */
async function execute(operation: Locator, isChange: boolean, input?: object): Promise<string> {
  await operation.locator('.opblock-summary-control').first().click();
  // The button is there before the operation is resolved, and does nothing until then.
  await operation.locator('.responses-wrapper').first().waitFor();
  if (input && isChange) await operation.locator('textarea.body-param__text').fill(JSON.stringify(input));
  else if (input) for (const [name, value] of Object.entries(input)) await enter(operation, name, value);
  await operation.locator('.execute').click();
  const status = operation.locator('.live-responses-table .response .response-col_status').last();
  const text = await status.innerText({ timeout: 60_000 });
  await operation.locator('.opblock-summary-control').first().click();
  return text.trim().split('\n')[0]!;
}

/** Enters a parameter of the query. */
async function enter(operation: Locator, name: string, value: unknown): Promise<void> {
  const row = operation.locator(`tr[data-param-name="${name}"]`);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if ((await row.locator('select').count()) > 0) await row.locator('select').selectOption(text);
  else await row.locator('textarea, input').first().fill(text);
}

/** The reads whose examples name objects that the demo does not have, such as a cluster or a registry. */
export const notInDemo = [
  ...['check-image', 'check-region'],
  ...[
    'get-certificate',
    'get-registry-credential',
    'get-preview',
    'get-run',
    'get-schedule',
    'get-webhook',
    'list-deliveries',
  ],
  ...['diff-releases', 'get-release'],
];

/** The reads whose documented example the demo answers. */
export const inDemo = operations.filter(({ isChange, path }) => !isChange && !notInDemo.includes(path));

/** The parameters of a read as the document gives them: what the page sends unless something else is entered. */
export function documentedExample({ path }: Operation): Record<string, unknown> {
  const { parameters = [] } = operationsOpenapi.paths[`/${path}`].get;
  const examples = parameters.map(({ name, example, content }: any) => [
    name,
    example ?? content?.['application/json'].example,
  ]);
  return Object.fromEntries(examples.filter(([, example]: unknown[]) => example !== undefined));
}

/**
 * Executes operations on the page of the documents, tag by tag, with their examples unless there are inputs. Returns the
 * status of each.
 */
export async function executeAll(
  tab: Page,
  operations: readonly Operation[],
  inputOf: (operation: Operation) => Promise<object> | object | undefined = () => undefined,
): Promise<[path: string, status: string][]> {
  const statuses: [string, string][] = [];
  for (const [tag, tagged] of groupBy(operations, ({ path }) => tagOf(path))) {
    const heading = tab.locator(`.opblock-tag[data-tag="${tag}"]`);
    await heading.click();
    for (const operation of tagged) {
      const { path, operationName, isChange } = operation;
      const id = `${operationName[0]!.toLowerCase()}${operationName.slice(1)}`;
      const listed = tab.locator(`.opblock[id$="-${id}"]`);
      statuses.push([path, await execute(listed, isChange, await inputOf(operation))]);
    }
    await heading.click();
  }
  return statuses;
}
