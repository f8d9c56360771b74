import { describe, expect, it } from 'vitest';
import { apply, plan, tryApply, tryPlan } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();

const shop = (variable: string) =>
  `application: Shop\ncomponents: { web: { image: "nginx:1.28", variables: { TOKEN: ${variable} } } }\n`;

/** Its value as the administrator sees it, who may read secrets. */
async function variableOf(appId: number, name: string) {
  const data = await trellis.data(
    `{ application(by: { appId: ${appId} }) { components { nodes { uid variables { nodes { name value isSecret } } } } } }`,
  );
  const [component] = data.application.components.nodes;
  return { componentId: component.uid, ...component.variables.nodes.find((each: any) => each.name === name) };
}

/** A version of a template in which SETTING is a secret, or is not. */
const secret =
  (isSecret: boolean): Edit =>
  (app) => {
    app.service_env_map_list = [
      {
        name: 'Setting',
        attr_name: 'SETTING',
        attr_value: 'of the template',
        is_change: true,
        is_secret: isSecret,
      },
    ];
  };

describe('a secret of a component', () => {
  it('is not made readable by a manifest that does not give its value again', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, shop('first'));
    const before = await variableOf(application.appId, 'TOKEN');
    expect(before).toMatchObject({ value: 'first', isSecret: true });
    for (const variable of [
      '{ isSecret: false }',
      '{ isSecret: false, label: Token }',
      '{ secret: preserve, isSecret: false }',
    ]) {
      const { error } = await tryPlan(trellis, place, shop(variable));
      expect(error?.message).toContain('Give the value again');
      expect(await tryApply(trellis, place, shop(variable))).toMatchObject({
        __typename: 'InvalidInputError',
      });
    }
    expect(await variableOf(application.appId, 'TOKEN')).toEqual(before);

    await apply(trellis, place, shop('{ isSecret: false, value: second }'));
    expect(await variableOf(application.appId, 'TOKEN')).toMatchObject({ value: 'second', isSecret: false });
    expect((await plan(trellis, place, shop('{ isSecret: false }'))).changes).toEqual([]);
  });

  it('keeps the value of a user secret in an upgrade to a version where it is none', async () => {
    const { installed, upgrade } = upgradesOf(trellis);
    const { appId, key } = await installed(1, [secret(true), secret(false)]);
    const { componentId } = await variableOf(appId, 'SETTING');
    const set = [{ name: 'SETTING', value: 'of the user' }];
    await trellis.succeed('setVariables', { component: { componentId }, set }, '__typename');
    expect((await upgrade(appId, key)).outcomes[0].changes).not.toContainEqual(
      expect.objectContaining({ kind: 'SET_VARIABLE' }),
    );
    expect(await variableOf(appId, 'SETTING')).toMatchObject({ value: 'of the user', isSecret: true });
  });

  it('follows the template in an upgrade if its value is the one of the template', async () => {
    const { installed, upgrade } = upgradesOf(trellis);
    const { appId, key } = await installed(1, [secret(true), secret(false)]);
    await upgrade(appId, key);
    expect(await variableOf(appId, 'SETTING')).toMatchObject({ value: 'of the template', isSecret: false });
  });
});
