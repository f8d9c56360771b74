import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { startDemo } from './console.ts';
import type { Place } from './fixtures.ts';
import { apply } from './manifests.ts';

export const shop = `application: Shop
components:
  database:
    image: postgres:18
    variables:
      POSTGRES_USER: shop
    ports:
      5432: { protocol: tcp, isInner: true }
  web:
    image: nginx:1.28
    dependsOn: [database]
    ports:
      80: { protocol: http, isInner: true }
`;

/** A demo with an application that a manifest was applied to, in a region that carries out jobs. */
export async function startShop() {
  const demo = await startDemo();
  const { trellis, browser } = demo;
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { team, region } = await trellis.data(
    '{ team(by: { name: "retail" }) { uid } region(by: { name: "us-east" }) { uid } }',
  );
  const place = { team: { teamId: team.uid }, region: { regionId: region.uid } } as Place;
  const { appId } = (await apply(trellis, place, shop)).application;
  const by = `application(by: { appId: ${appId} })`;
  const { application } = await trellis.data(`{ ${by} { components { nodes { uid name } } } }`);
  const components: Record<string, string> = Object.fromEntries(
    application.components.nodes.map(({ name, uid }: { name: string; uid: string }) => [name, uid]),
  );
  const exported = async () =>
    (await trellis.data(`{ ${by} { manifest { document } } }`)).application.manifest.document as string;
  return {
    ...demo,
    place,
    appId,
    components,
    exported,
    open: (path = `/applications/${appId}/manifest`, token?: string) => demo.open(path, token),
    /** Types the manifest of the application with a part of it changed. */
    async change(page: Page, from: string, to: string) {
      const before = await exported();
      expect(before).toContain(from);
      await replace(page, before.replace(from, to));
    },
  };
}

export const editor = (page: Page) => page.getByRole('textbox', { name: /^Manifest of/ });
export const panel = (page: Page) => page.getByRole('region', { name: 'Plan' });
export const dialog = (page: Page) => page.getByRole('dialog');

/** Types a manifest in place of what is there. */
export async function replace(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

export async function edit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit' }).click();
  await panel(page).getByText('No changes.').waitFor();
}
