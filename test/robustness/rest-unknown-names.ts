import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest } from '../support/openapi.ts';
import { atOf, type Example, examplesOf, routeOf, type Title, titles } from '../support/rest-examples.ts';
import { createScene } from '../support/rest-scene.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';
import { expectUnchanged } from '../support/unchanged.ts';
import { badPaths, unknownNames } from './rest-bad-values.ts';

let trellis: Trellis;
let examples: Record<Title, Example>;
const timeout = 120_000;
const below = titles.filter((title) => Object.keys(routeOf(title).params.shape).length > 0);
const isRead = (title: Title) => routeOf(title).method === 'get';

/** Names that pass validation reach the database, which has its own idea of what a text is. */
export function unknownNamesOf(kind: 'reads' | 'changes'): void {
  beforeAll(async () => {
    trellis = await startTrellis();
    examples = examplesOf(await createScene(trellis));
  });
  afterAll(() => trellis?.close());
  expectUnchanged(() => trellis);

  describe('every parameter of every path', () => {
    it.each(below.filter((title) => isRead(title) === (kind === 'reads')))(
      '%s returns NOT_FOUND for an unknown name',
      { timeout },
      async (title) => {
        const example = examples[title];
        for (const name of Object.keys(example.params)) {
          const values = badPaths[name]!.includes('%2F') ? ['2147483647'] : unknownNames;
          for (const value of name === 'port' ? ['9', '65535'] : values) {
            const params = { ...example.params, [name]: value };
            const { status, body, text } = await rest(trellis, atOf({ ...example, params }, true), {
              body: example.body,
            });
            const what = `${name} = ${value} → ${text}`;
            expect([status, body.code], what).toEqual([404, 'NOT_FOUND']);
          }
        }
      },
    );
  });
}
