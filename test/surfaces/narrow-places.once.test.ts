import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { allActions } from '../../src/kernel/actions.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import {
  attempt,
  createAll,
  createApplication,
  createComponent,
  createTeam,
  succeed,
  unique,
} from '../support/fixtures.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

let trellis: Trellis;
let changes: Record<string, ChangeCase>;
let tokens: Record<string, string>;

const actions = [...allActions].map((action) =>
  action.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
);

async function tokenAt(place: object): Promise<string> {
  const input = { name: 'elsewhere', grants: [{ actions, ...place }] };
  return (await succeed(trellis, 'createAccessToken', input, 'secret')).secret;
}

beforeAll(async () => {
  trellis = await startTrellis();
  const all = await createAll(trellis);
  changes = await everyChange(trellis, all);
  const component = await createComponent(trellis, all.application.appId);
  const application = await createApplication(trellis, all);
  const { teamId } = await createTeam(trellis, unique('aside'));
  tokens = {
    component: await tokenAt({ component: { componentId: component.componentId } }),
    application: await tokenAt({ application: { appId: application.appId } }),
    team: await tokenAt({ team: { teamId } }),
  };
});
afterAll(() => trellis?.close());

describe('a token for everything in another place', () => {
  it.each(Object.keys(schema.getMutationType()!.getFields()))('is refused: %s', async (name) => {
    for (const [kind, token] of Object.entries(tokens)) {
      const result = await attempt(trellis, name, await changes[name]!.input(), '__typename', token);
      expect(result, `${name} ${kind} ${JSON.stringify(result)}`).toMatchObject({
        code: expect.stringMatching(/^(NOT_FOUND|FORBIDDEN)$/),
      });
    }
  });
});
