import { beforeAll, describe, expect, it } from 'vitest';
import { type All, unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const newComponent = async (options: object = {}) =>
  (await trellis.createComponent(all.application.appId, options)).componentId;

const nodes = 'component { variables(first: 100) { nodes { name value label scope isSecret isDerived } } }';
const set = async (componentId: string, input: object, token?: string) =>
  (await trellis.succeed('setVariables', { component: { componentId }, ...input }, nodes, token)).component
    .variables.nodes as any[];
const refused = (componentId: string, input: object) =>
  trellis.attempt('setVariables', { component: { componentId }, ...input });
const valuesIn = (variables: any[]) =>
  Object.fromEntries(variables.map(({ name, value }) => [name, value as string | null]));
const values = async (componentId: string) => valuesIn(await set(componentId, {}));

async function events(componentId: string): Promise<any[]> {
  const { events } = await trellis.data(
    `query E($id: String!) { events(action: "component.set_variables", objectUid: $id) {
      nodes { changes { field before: oldValue after: newValue } } } }`,
    { id: componentId },
  );
  return events.nodes.map(({ changes }: any) =>
    changes.map(({ field, before, after }: any) => [field, before, after]),
  );
}

const columns = async (componentId: string) => {
  const { db } = trellis.services;
  const row = await db.transaction((tx) => tx.component.findUniqueOrThrow({ where: { id: componentId } }));
  return { updatedAt: row.updatedAt, hasUndeployedChanges: row.hasUndeployedChanges };
};

const numbered = (count: number, prefix = 'V') =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}_${index}`, value: String(index) }));

describe('setVariables', () => {
  it('creates, changes and removes variables, with one event', async () => {
    const componentId = await newComponent({
      variables: [
        { name: 'MODE', value: 'fast', label: 'Mode' },
        { name: 'GONE', value: 'x' },
        { name: 'SAME', value: 'x' },
      ],
    });
    const found = await set(componentId, {
      set: [
        { name: 'MODE', value: 'slow' },
        { name: 'SAME', value: 'x', label: 'The same' },
        { name: 'NEW', value: '' },
        { name: 'NEW', value: 'shared', scope: 'CONNECTION', portNumber: 80, label: 'New' },
      ],
      remove: [{ name: 'GONE' }, { name: 'MISSING' }, { name: 'MODE', scope: 'CONNECTION' }],
    });
    const plain = { isSecret: false, isDerived: false };
    expect(found).toEqual([
      { name: 'MODE', value: 'slow', label: 'Mode', scope: 'ENVIRONMENT', ...plain },
      { name: 'NEW', value: '', label: 'NEW', scope: 'ENVIRONMENT', ...plain },
      { name: 'NEW', value: 'shared', label: 'New', scope: 'CONNECTION', ...plain },
      { name: 'SAME', value: 'x', label: 'The same', scope: 'ENVIRONMENT', ...plain },
    ]);
    expect(await events(componentId)).toEqual([
      [
        ['environment GONE', 'x', null],
        ['environment MODE', 'fast', 'slow'],
        ['environment SAME label', 'SAME', 'The same'],
        ['environment NEW', null, ''],
        ['connection NEW', null, 'shared'],
      ],
    ]);
  });

  it('changes nothing when everything is as wanted already', async () => {
    const variables = [
      { name: 'MODE', value: 'fast' },
      { name: 'DB_PASSWORD', value: 'hunter2' },
      { name: 'FIXED', value: '1', isChangeable: false },
      { name: 'URL', value: 'x', scope: 'CONNECTION', portNumber: 80 },
    ];
    const componentId = await newComponent({ variables, deploy: true });
    const before = await columns(componentId);
    const counts = await trellis.counts();
    await set(componentId, { set: variables, remove: [{ name: 'MISSING' }] });
    await set(componentId, { set: [], remove: [] });
    expect(await columns(componentId)).toEqual(before);
    expect(await trellis.counts()).toEqual(counts);
  });

  it('takes effect at the next deploy of a component that was deployed', async () => {
    const running = await newComponent({ deploy: true });
    const created = await newComponent();
    for (const componentId of [running, created]) {
      const before = await columns(componentId);
      await set(componentId, { set: [{ name: 'A', value: '1' }] });
      const after = await columns(componentId);
      expect([before.hasUndeployedChanges, after.hasUndeployedChanges]).toEqual([
        false,
        componentId === running,
      ]);
      expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    }
    await trellis.succeed('deployComponent', { component: { componentId: running } }, '__typename');
    expect((await columns(running)).hasUndeployedChanges).toBe(false);
  });

  it('encrypts secrets, hides them from viewers and redacts them in events', async () => {
    const componentId = await newComponent({ variables: [{ name: 'PLAIN', value: 'was-plain' }] });
    const [first, second, third] = [unique('first'), unique('second'), unique('third')];
    await set(componentId, { set: [{ name: 'DB_PASSWORD', value: first }] });
    await set(componentId, {
      set: [
        { name: 'DB_PASSWORD', value: second },
        { name: 'PLAIN', value: third, isSecret: true },
      ],
    });
    const viewer = await trellis.createMember(all.team.teamId, 'VIEWER');
    const { component } = await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { variables { nodes { name value } } } }`,
      {},
      viewer.token,
    );
    expect(valuesIn(component.variables.nodes)).toEqual({ DB_PASSWORD: null, PLAIN: null });
    expect(await values(componentId)).toEqual({ DB_PASSWORD: second, PLAIN: third });
    const query = 'SELECT * FROM environment_variable WHERE component_id = ';
    const rows = await trellis.services.db.query(`${query}'${componentId}'`, []);
    expect(await events(componentId)).toEqual([
      [
        ['environment DB_PASSWORD', '[redacted]', '[redacted]'],
        ['environment PLAIN', '[redacted]', '[redacted]'],
        ['environment PLAIN isSecret', false, true],
      ],
      [['environment DB_PASSWORD', null, '[redacted]']],
    ]);
    const stored = JSON.stringify(rows);
    for (const secret of [first, second, third, 'was-plain']) expect(stored).not.toContain(secret);
    await set(componentId, { set: [{ name: 'PLAIN', value: 'open', isSecret: false }] });
    expect((await trellis.services.db.query(`${query}'${componentId}'`, [])).join()).toContain('open');
    await set(componentId, { remove: [{ name: 'DB_PASSWORD' }] });
    expect((await events(componentId))[0]).toEqual([['environment DB_PASSWORD', '[redacted]', null]]);
  });

  it('overrides the derived variables of a port by name, until the override is removed', async () => {
    const componentId = await newComponent();
    await trellis.addPort(componentId, 80, { alias: 'WEB', isInner: true });
    const override = { name: 'WEB_HOST', scope: 'CONNECTION' };
    const { WEB_HOST: derived } = await values(componentId);
    const found = await set(componentId, { set: [{ ...override, value: 'proxy.example' }] });
    expect(valuesIn(found)).toEqual({ WEB_HOST: 'proxy.example', WEB_PORT: '80' });
    expect(found.map(({ isDerived }) => isDerived)).toEqual([false, true]);
    for (let times = 0; times < 2; times++) {
      expect(valuesIn(await set(componentId, { remove: [override] }))).toEqual({
        WEB_HOST: derived,
        WEB_PORT: '80',
      });
    }
  });

  it('refuses to change or remove what is not changeable, and then changes nothing', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `FIXED_${String(index).padStart(2, '0')}`);
    const componentId = await newComponent({
      variables: names.map((name) => ({ name, value: '1', isChangeable: false })),
    });
    const change = { set: [{ name: 'FREE', value: '1' }, ...names.map((name) => ({ name, value: '2' }))] };
    const shown = `${names.slice(0, 10).join(', ')} and 2 more`;
    const counts = await trellis.counts();
    expect(await refused(componentId, change)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`cannot be changed: ${shown}.`),
    });
    for (const input of [
      { remove: [{ name: names[0] }] },
      { set: [{ name: names[0], value: '1', isChangeable: true }] },
      { set: [{ name: names[0], value: '1', label: 'other' }] },
    ]) {
      expect(await refused(componentId, input)).toMatchObject({ code: 'CONFLICT' });
    }
    expect(await trellis.counts()).toEqual(counts);
    // A variable of the same name in the other scope is another one.
    await set(componentId, { set: [{ name: names[0], value: '2', scope: 'CONNECTION' }] });
  });

  it.each([
    ['a name that is set twice', { set: [numbered(1)[0], numbered(1)[0]] }, ['set', '1', 'name']],
    [
      'a name that is set twice, once without its scope',
      { set: [numbered(1)[0], { ...numbered(1)[0], scope: 'ENVIRONMENT' }] },
      ['set', '1', 'name'],
    ],
    ['a name that is removed twice', { remove: [{ name: 'A' }, { name: 'A' }] }, ['remove', '1', 'name']],
    [
      'a name that is set and removed',
      { set: numbered(1), remove: [{ name: 'B' }, { name: 'V_0' }] },
      ['remove', '1', 'name'],
    ],
    ['501 to set', { set: numbered(501) }, ['set']],
    ['501 to remove', { remove: numbered(501).map(({ name }) => ({ name })) }, ['remove']],
    [
      '501 together',
      { set: numbered(250), remove: numbered(251, 'W').map(({ name }) => ({ name })) },
      ['remove'],
    ],
    ['a wrong name', { set: [{ name: '1A', value: '' }] }, ['set', '0', 'name']],
    ['too long a value', { set: [{ name: 'A', value: 'x'.repeat(65_537) }] }, ['set', '0', 'value']],
  ])('refuses %s, and names the field', async (_, input, path) => {
    const componentId = await newComponent();
    const counts = await trellis.counts();
    const { code, issues } = await refused(componentId, input);
    expect([code, issues.map((each: any) => each.path)]).toEqual(['INVALID_INPUT', [['input', ...path]]]);
    expect(await trellis.counts()).toEqual(counts);
  });

  once('takes 500 variables, with as many statements as for one slice of them', async () => {
    const statementsFor = async (count: number) => {
      const componentId = await newComponent({ variables: numbered(count) });
      const changed = numbered(count).map((each, index) => ({
        name: index % 2 ? each.name : `NEW_${index}`,
        value: 'changed',
      }));
      const dropped = count < 500 ? [{ name: 'V_0' }] : [];
      await trellis.data('{ viewer { isAdministrator } }');
      trellis.statements.length = 0;
      await trellis.succeed(
        'setVariables',
        { component: { componentId }, set: changed, remove: dropped },
        '__typename',
      );
      return trellis.statements.length;
    };
    const few = await statementsFor(4);
    expect(await statementsFor(95)).toBe(few);
    // Four more slices of a hundred names.
    expect(await statementsFor(500)).toBeLessThanOrEqual(few + 4);
  });

  it('shortens long values in the event, and takes names that objects have of their own', async () => {
    const componentId = await newComponent();
    const long = `${'x'.repeat(2_000)}end`;
    await set(componentId, {
      set: [
        { name: '__proto__', value: 'a' },
        { name: 'constructor', value: 'b' },
        { name: 'LONG', value: long },
      ],
    });
    expect((await events(componentId))[0]).toEqual([
      ['environment __proto__', null, 'a'],
      ['environment constructor', null, 'b'],
      ['environment LONG', null, `${'x'.repeat(1_000)}… (2003 characters)`],
    ]);
    // The end of a long value alone is a change as well.
    await set(componentId, { set: [{ name: 'LONG', value: long.replace('end', 'END') }] });
    expect(await events(componentId)).toHaveLength(2);
    expect(await values(componentId)).toMatchObject({ LONG: long.replace('end', 'END'), constructor: 'b' });
  });

  it('loses nothing of changes that are made at once', async () => {
    const componentId = await newComponent({ variables: [{ name: 'SHARED', value: '0' }] });
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        set(componentId, {
          set: [
            { name: `OWN_${index}`, value: 'x' },
            { name: 'SHARED', value: String(index + 1) },
          ],
        }),
      ),
    );
    const found = await values(componentId);
    expect(Object.keys(found)).toHaveLength(9);
    // Each event starts from what the one before it has set.
    const shared = (await events(componentId))
      .reverse()
      .map((changes: any[]) => changes.find(([field]) => field === 'environment SHARED'));
    expect(shared.map(([, before]: any) => before)).toEqual([
      '0',
      ...shared.slice(0, -1).map(([, , after]: any) => after),
    ]);
    expect(found.SHARED).toBe(shared.at(-1)![2]);
  });

  it('is refused in a region that is not enabled', async () => {
    const other = await trellis.createAll();
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: other.region.regionId }, data: { status: 'maintenance' } }),
    );
    expect(await refused(other.component.componentId, { set: numbered(1) })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('maintenance'),
    });
  });
});
