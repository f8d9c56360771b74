import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { allActions } from '../../src/kernel/actions.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { unique } from '../support/fixtures.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
let changes: Record<string, ChangeCase>;
let tokens: Record<string, string>;

const actions = [...allActions].map((action) =>
  action.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
);

async function tokenAt(place: object): Promise<string> {
  const input = { name: 'elsewhere', grants: [{ actions, ...place }] };
  return (await trellis.succeed('createAccessToken', input, 'secret')).secret;
}

beforeAll(async () => {
  const all = await trellis.createAll();
  changes = await everyChange(trellis, all);
  const component = await trellis.createComponent(all.application.appId);
  const application = await trellis.createApplication(all);
  const { teamId } = await trellis.createTeam(unique('aside'));
  tokens = {
    component: await tokenAt({ component: { componentId: component.componentId } }),
    application: await tokenAt({ application: { appId: application.appId } }),
    team: await tokenAt({ team: { teamId } }),
  };
});

describe('a token for everything in another place', () => {
  it.each(Object.keys(schema.getMutationType()!.getFields()))('is refused: %s', async (name) => {
    for (const [kind, token] of Object.entries(tokens)) {
      const result = await trellis.attempt(name, await changes[name]!.input(), '__typename', token);
      expect(result, `${name} ${kind} ${JSON.stringify(result)}`).toMatchObject({
        code: expect.stringMatching(/^(NOT_FOUND|FORBIDDEN)$/),
      });
    }
  });
});
