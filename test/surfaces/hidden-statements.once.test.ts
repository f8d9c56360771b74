import type { GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { everyChange } from '../support/every-change.ts';
import { everyRead } from '../support/every-read.ts';
import type { All } from '../support/fixtures.ts';
import { rest } from '../support/openapi.ts';
import { type RegistryServer, startRegistry } from '../support/registry-server.ts';
import { useTrellis } from '../support/trellis.ts';

const types = (schema.getPossibleTypes(schema.getType('Node') as never) as readonly GraphQLObjectType[]).map(
  ({ name }) => name,
);
const models: Record<string, string> = {
  Template: 'PublishedTemplate',
  TemplateVersion: 'PublishedVersion',
  TeamMember: 'Membership',
};
/** Types whose objects everybody of an enterprise may see. */
const open = ['Enterprise', 'Role', 'User', 'Template', 'TemplateVersion'];

const trellis = useTrellis();
let registry: RegistryServer;
let all: All;
beforeAll(async () => {
  registry = await startRegistry();
  all = await trellis.createAll();
  const changes = await everyChange(trellis, all);
  await everyRead(trellis, all, registry, changes);
  for (const name of ['createAccessToken', 'addTrust', 'createDeployHook']) {
    await trellis.succeed(name, await changes[name]!.input(), '__typename');
  }
  const { db } = trellis.services;
  const user = await trellis.createPerson();
  const at = new Date();
  await db.transaction((tx) =>
    tx.session.create({
      data: {
        ...{ id: 'a'.repeat(64), userId: user.userId, createdAt: at, lastUsedAt: at },
        ...{ expiresAt: new Date(at.getTime() + 3_600_000), address: '', browser: '' },
      },
    }),
  );
});
afterAll(() => registry.close());

/** The first object of a type, which the caller is not the owner of. */
async function idIn(type: string): Promise<string | number> {
  const model = models[type] ?? type;
  const name = `${model[0]!.toLowerCase()}${model.slice(1)}`;
  const row = await trellis.services.db.transaction((tx) =>
    (tx as unknown as Record<string, { findFirst(): Promise<{ id: string | number } | null> }>)[
      name
    ]!.findFirst(),
  );
  return row!.id;
}

it.each(types.filter((type) => !open.includes(type)))(
  'a hidden %s takes the same statements as one that does not exist',
  async (type) => {
    const outsider = await trellis.createMember((await trellis.createTeam()).teamId, 'VIEWER');
    const limited = await trellis.createPerson();
    const { appId } = await trellis.createApplication(all);
    const membership = { team: { teamId: all.team.teamId }, user: { email: limited.email }, role: 'VIEWER' };
    await trellis.succeed('addTeamMember', { ...membership, applications: [{ appId }] }, '__typename');
    const id = await idIn(type);
    const absent = typeof id === 'number' ? 1_999_999_999 : 'f'.repeat(id.length);
    let hidden = 0;
    for (const { token } of [outsider, limited]) {
      const ask = async (named: string | number) => {
        const query = `{ node(id: "${encodeGlobalId(type, named)}") { id } }`;
        trellis.statements.length = 0;
        const { data } = await trellis.graphql(query, {}, token);
        // The use of a token is noted in the background.
        const reads = trellis.statements.filter((text) => text.startsWith('SELECT'));
        return { found: data?.node ?? null, reads };
      };
      await ask(absent);
      const asked = await ask(id);
      if (asked.found) continue;
      hidden++;
      expect(asked).toEqual(await ask(absent));
    }
    expect(hidden).toBeGreaterThan(0);
  },
);

it('the components of a hidden application are not read for a list that is refused', async () => {
  const limited = await trellis.createPerson();
  const { appId } = await trellis.createApplication(all);
  const membership = { team: { teamId: all.team.teamId }, user: { email: limited.email }, role: 'VIEWER' };
  await trellis.succeed('addTeamMember', { ...membership, applications: [{ appId }] }, '__typename');
  const apps = `/teams/${all.team.teamId}/regions/${all.region.name}/apps`;
  const list = async (id: number) => {
    trellis.statements.length = 0;
    const { status } = await rest(trellis, `get ${apps}/${id}/services`, { token: limited.token });
    return { status, reads: trellis.statements.some((text) => /FROM "component"/.test(text)) };
  };
  expect(await list(appId)).toEqual({ status: 200, reads: true });
  expect(await list(all.application.appId)).toEqual({ status: 404, reads: false });
});
