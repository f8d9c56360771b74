import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { type All, unique } from '../support/fixtures.ts';
import { mutations, outcomesOf } from '../support/rights.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
/** An application, and what it has, that the limited members do not see. */
let hidden: All;
let own: { appId: number; componentId: string };
let changes: Record<string, ChangeCase>;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  hidden = await trellis.createAll();
  changes = await everyChange(trellis, hidden);
  const { appId } = await trellis.createApplication(hidden);
  own = { appId, componentId: (await trellis.createComponent(appId)).componentId };
  for (const role of ['DEVELOPER', 'ADMIN']) {
    const { email, token } = await trellis.createPerson();
    const limited = { role, applications: [{ appId }] };
    const member = { team: { teamId: hidden.team.teamId }, user: { email }, ...limited };
    await trellis.succeed('addTeamMember', member, '__typename');
    tokens[role] = token;
  }
});

/** What everyone may do with their own account. */
const isForEveryone = (name: string) => outcomesOf(name).every((outcome) => outcome === 'ok');

describe('a change of a team and of an application that a member is not limited to', () => {
  it.each(mutations.filter((name) => !isForEveryone(name)))('is refused: %s', async (name) => {
    const input = await changes[name]!.input();
    const before = await trellis.counts();
    for (const [role, token] of Object.entries(tokens)) {
      const { code, message } = await trellis.attempt(name, input, '__typename', token);
      expect(['NOT_FOUND', 'FORBIDDEN'], `${role}: ${code} ${message}`).toContain(code);
      for (const text of [hidden.application.name, hidden.component.alias])
        expect(message).not.toContain(text);
    }
    expect(await trellis.counts()).toEqual(before);
  });
});

/** Changes of the own application that name something of the hidden one, or what does not exist. */
const mixed: Record<string, (other: { appId: number; componentId: string; port: string }) => object> = {
  addDependency: ({ componentId }) => ({ ...ofOwn(), dependency: { componentId } }),
  deleteDependency: ({ componentId }) => ({ ...ofOwn(), dependency: { componentId } }),
  createComponent: ({ componentId }) => ({
    ...ofApplication(),
    name: 'part',
    image: 'part:1',
    dependencies: [{ componentId }],
  }),
  createHttpRule: ({ componentId }) => ({
    ...ofApplication(),
    component: { componentId },
    portNumber: 8080,
    domain: 'www.shop-example.org',
  }),
  createTcpRule: ({ componentId }) => ({
    ...ofApplication(),
    component: { componentId },
    portNumber: 8080,
    endpoint: '192.0.2.1:8080',
  }),
  promoteRelease: ({ componentId }) => ({
    release: { at: { component: { componentId }, number: 1 } },
    to: { appId: own.appId },
  }),
  openOuterService: ({ port }) => ({ port: { id: port } }),
  createAccessToken: ({ appId }) => ({
    name: 'token',
    grants: [{ actions: ['READ'], application: { appId } }],
  }),
  copyApplication: ({ appId }) => ({ application: { appId }, name: 'copy' }),
  publishApplication: ({ appId }) => ({ application: { appId }, version: '1' }),
};
const ofOwn = () => ({ component: { componentId: own.componentId } });
const ofApplication = () => ({ application: { appId: own.appId } });

describe('a change of the own application that names something of a hidden one', () => {
  it.each(Object.entries(mixed))('is refused as if it did not exist: %s', async (name, inputOf) => {
    const { appId } = hidden.application;
    const { componentId } = hidden.component;
    const there = { appId, componentId, port: hidden.port.id };
    const absent = { appId: 999_999, componentId: unique('none'), port: encodeGlobalId('Port', 999_999) };
    const before = await trellis.counts();
    for (const token of Object.values(tokens)) {
      const refused = await trellis.attempt(name, inputOf(there), '__typename', token);
      expect(refused).toMatchObject({ code: 'NOT_FOUND' });
      expect(refused).toEqual(await trellis.attempt(name, inputOf(absent), '__typename', token));
    }
    expect(await trellis.counts()).toEqual(before);
  });
});
