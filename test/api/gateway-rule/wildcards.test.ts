import { beforeAll, describe, expect, it } from 'vitest';
import { maxLabels } from '../../../src/domain/gateway-rule/http/domain-model.ts';
import { type All, unique } from '../../support/fixtures.ts';
import { apply, tryApply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
/** Of a member who is limited to the application. */
let token: string;
beforeAll(async () => {
  all = await trellis.createAll();
  const person = await trellis.createPerson();
  const limited = { role: 'DEVELOPER', applications: [{ appId: all.application.appId }] };
  const member = { team: { teamId: all.team.teamId }, user: { email: person.email }, ...limited };
  await trellis.succeed('addTeamMember', member, '__typename');
  token = person.token;
});

/** A document with so many routes on wildcards: `*.w0.DOMAIN` and so on. */
const wildcards = async (count: number, domain: string) => {
  const { componentId } = all.component;
  const { component } = await trellis.data(`{ component(by: { componentId: "${componentId}" }) { name } }`);
  const target = { component: component.name, port: 8080 };
  const routes = Array.from({ length: count }, (_, index) => ({
    ...target,
    domain: `*.w${index}.${domain}`,
  }));
  return JSON.stringify({ application: all.application.name, routes });
};

const newDomain = () => `${unique('shop')}.org`;

describe('routes on wildcards', () => {
  it('take as many statements for many as for few', async () => {
    const statementsOf = async (count: number) => {
      const document = await wildcards(count, newDomain());
      trellis.statements.length = 0;
      await apply(trellis, all, document, {}, token);
      return trellis.statements.length;
    };
    // The first apply makes the manifest of the application.
    await statementsOf(1);
    const few = await statementsOf(2);
    expect(await statementsOf(12)).toBe(few);
    expect(await statementsOf(40)).toBe(few);
  });

  it.each([2, 12])('are refused if one of %i covers a domain of others', async (count) => {
    const theirs = newDomain();
    const { teamId } = await trellis.createTeam();
    const domain = { regionId: all.region.regionId, name: `a.w1.${theirs}`, teamId };
    await trellis.services.db.transaction((tx) => tx.domain.create({ data: domain }));
    for (const by of [undefined, token]) {
      expect(await tryApply(trellis, all, await wildcards(count, theirs), {}, by)).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(
          `The domain *.w1.${theirs} belongs to another team in the region ${all.region.name}.`,
        ),
      });
    }
    const { appId } = await trellis.createApplication(all);
    const { componentId } = await trellis.createComponent(appId);
    await trellis.addPort(componentId, 8080);
    const hidden = newDomain();
    const at = { application: { appId }, component: { componentId }, portNumber: 8080 };
    await trellis.succeed('createHttpRule', { ...at, domain: `hidden.b.w1.${hidden}` }, '__typename');
    const document = await wildcards(count, hidden);
    const refused = await tryApply(trellis, all, document, {}, token);
    const reason = `The domain *.w1.${hidden} is in use by, or reserved for, a component that you cannot change.`;
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(reason) });
    expect(refused.message).not.toContain('hidden.b');
    await apply(trellis, all, document);
  });
});

describe('a domain', () => {
  it(`has at most ${maxLabels} labels, each of which is looked up`, async () => {
    const { appId } = all.application;
    const at = { application: { appId }, portNumber: 8080 };
    const labels = (count: number) => `${'a.'.repeat(count - 2)}${newDomain()}`;
    const component = { componentId: all.component.componentId };
    const created = (domain: string) =>
      trellis.attempt('createHttpRule', { ...at, component, domain }, '__typename', token);
    expect(await created(labels(maxLabels))).toMatchObject({ __typename: 'CreateHttpRulePayload' });
    for (const domain of [labels(maxLabels + 1), `*.${labels(maxLabels)}`, 'a.'.repeat(110) + newDomain()]) {
      expect(await created(domain)).toMatchObject({
        code: 'INVALID_INPUT',
        issues: [{ path: ['input', 'domain'], message: `Must have at most ${maxLabels} labels` }],
      });
    }
  });
});
