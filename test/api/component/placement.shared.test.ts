import { describe, expect, it } from 'vitest';
import { apply, exported, plan, tryApply } from '../../support/manifests.ts';
import { once } from '../../support/once.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const placement =
  'placement { nodeLabels { key value } tolerations { key operator value effect } spread minAvailable }';
const selection = `component { ${placement} revision hasUndeployedChanges } plan { action objectType }`;
const anywhere = { nodeLabels: [], tolerations: [], spread: null, minAvailable: 1 };

interface Ref {
  componentId: string;
}

async function newComponent(input: object = {}): Promise<Ref> {
  const { appId } = await trellis.createApplication(await trellis.createPlace());
  const { componentId } = await trellis.createComponent(appId, input as any);
  return { componentId };
}

const set = (component: Ref, input: object = {}) =>
  trellis.succeed('setPlacement', { component, ...input }, selection);
const refusal = (component: Ref, input: object) =>
  trellis.attempt('setPlacement', { component, ...input }, '__typename');
const read = async ({ componentId }: Ref) =>
  (
    await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { ${placement} hasUndeployedChanges revision } }`,
    )
  ).component;

const full = {
  nodeLabels: [
    { key: 'topology.kubernetes.io/zone', value: 'a' },
    { key: 'disktype', value: '' },
  ],
  tolerations: [
    { key: 'dedicated', value: 'web', effect: 'NO_SCHEDULE' },
    { operator: 'EXISTS' },
    { key: 'example.com/gpu', operator: 'EXISTS', effect: 'NO_EXECUTE' },
  ],
  spread: 'ZONE',
  minAvailable: 2,
};
const stored = {
  nodeLabels: [
    { key: 'disktype', value: '' },
    { key: 'topology.kubernetes.io/zone', value: 'a' },
  ],
  tolerations: [
    { key: 'dedicated', operator: 'EQUAL', value: 'web', effect: 'NO_SCHEDULE' },
    { key: null, operator: 'EXISTS', value: null, effect: null },
    { key: 'example.com/gpu', operator: 'EXISTS', value: null, effect: 'NO_EXECUTE' },
  ],
  spread: 'ZONE',
  minAvailable: 2,
};

describe('setPlacement', () => {
  it('sets the whole of it, which is what a component without one can have as well', async () => {
    const component = await newComponent({ replicas: 3 });
    expect(await read(component)).toMatchObject({ placement: anywhere, hasUndeployedChanges: false });
    const first = await set(component, full);
    expect(first.component.placement).toEqual(stored);
    expect(first.plan).toEqual([{ action: 'component.set_placement', objectType: 'Component' }]);
    // What it answers is accepted again, and is no change; nor is another order of the labels.
    const again = await set(component, { ...stored, nodeLabels: full.nodeLabels });
    expect(again).toMatchObject({ component: { revision: first.component.revision }, plan: [] });
    const part = await set(component, { spread: 'NODE' });
    expect(part.component.placement).toEqual({ ...anywhere, spread: 'NODE' });
    expect((await set(component)).component.placement).toEqual(anywhere);
  });

  it('takes effect with the next deploy', async () => {
    const component = await newComponent();
    await trellis.succeed('deployComponent', { component }, '__typename');
    expect((await set(component)).component.hasUndeployedChanges).toBe(false);
    expect((await set(component, { spread: 'NODE' })).component.hasUndeployedChanges).toBe(true);
    await trellis.succeed('deployComponent', { component }, '__typename');
    expect((await read(component)).hasUndeployedChanges).toBe(false);
  });

  it('plans a change, and requires the revision that is expected', async () => {
    const component = await newComponent();
    const { revision } = await read(component);
    const dryRun = await set(component, { spread: 'NODE', dryRun: true });
    expect(dryRun.plan).toHaveLength(1);
    expect(await read(component)).toMatchObject({ revision, placement: anywhere });
    await set(component, { spread: 'NODE', expectedRevision: revision });
    expect(await refusal(component, { spread: 'ZONE', expectedRevision: revision })).toMatchObject({
      code: 'CONFLICT',
    });
  });

  once.each([
    [{ nodeLabels: [{ key: '', value: 'a' }] }, 'nodeLabels.0.key'],
    [{ nodeLabels: [{ key: '-a', value: 'a' }] }, 'nodeLabels.0.key'],
    [{ nodeLabels: [{ key: 'a'.repeat(64), value: 'a' }] }, 'nodeLabels.0.key'],
    [{ nodeLabels: [{ key: 'Example.com/a', value: 'a' }] }, 'nodeLabels.0.key'],
    [{ nodeLabels: [{ key: 'a/b/c', value: 'a' }] }, 'nodeLabels.0.key'],
    [{ nodeLabels: [{ key: `${'a.'.repeat(126)}aa/b`, value: 'a' }] }, 'nodeLabels.0.key'],
    [{ nodeLabels: [{ key: 'a', value: 'a b' }] }, 'nodeLabels.0.value'],
    [{ nodeLabels: [{ key: 'a', value: 'a'.repeat(64) }] }, 'nodeLabels.0.value'],
    [
      {
        nodeLabels: [
          { key: 'a', value: '1' },
          { key: 'a', value: '2' },
        ],
      },
      'nodeLabels.1.key',
    ],
    [
      { nodeLabels: Array.from({ length: 21 }, (_, index) => ({ key: `k${index}`, value: '' })) },
      'nodeLabels',
    ],
    [{ tolerations: [{ value: 'a' }] }, 'tolerations.0.key'],
    [{ tolerations: [{ key: 'a', operator: 'EXISTS', value: 'b' }] }, 'tolerations.0.value'],
    [{ tolerations: [{ key: 'a', value: '/' }] }, 'tolerations.0.value'],
    [{ tolerations: [{ key: 'a b' }] }, 'tolerations.0.key'],
    [{ tolerations: Array.from({ length: 21 }, () => ({ key: 'a' })) }, 'tolerations'],
    [{ minAvailable: -1 }, 'minAvailable'],
    [{ minAvailable: 3 }, 'minAvailable'],
  ])('refuses %j', async (input, path) => {
    const component = await newComponent({ replicas: 3 });
    const refused = await refusal(component, input);
    expect(refused).toMatchObject({ code: 'INVALID_INPUT' });
    expect(refused.issues.map((issue: any) => issue.path.slice(1).join('.'))).toEqual([path]);
    expect((await read(component)).placement).toEqual(anywhere);
  });

  it('counts the least number of instances of an autoscaling', async () => {
    const component = await newComponent({ replicas: 5 });
    const bounds = { minReplicas: 3, maxReplicas: 6, cpuPercent: 50 };
    await trellis.succeed('setAutoscaling', { component, ...bounds }, '__typename');
    expect(await refusal(component, { minAvailable: 3 })).toMatchObject({ code: 'INVALID_INPUT' });
    expect((await set(component, { minAvailable: 2 })).component.placement.minAvailable).toBe(2);
  });
});

const document = (part: string) =>
  `application: shop\ncomponents:\n  web:\n    image: nginx:1.29\n    replicas: 3\n${part}`;
const own = `    placement:
      nodeLabels: [{ key: disktype, value: ssd }]
      tolerations:
        - { key: dedicated, value: web, effect: no_schedule }
        - { operator: EXISTS }
      spread: node
      minAvailable: 2
`;

describe('a manifest', () => {
  it('sets, exports, plans and removes a placement', async () => {
    const place = await trellis.createPlace();
    const { appId } = (await apply(trellis, place, document(own))).application;
    const seen = async () =>
      (
        await trellis.data(
          `{ application(by: { appId: ${appId} }) { components(first: 1) { nodes { ${placement} } } } }`,
        )
      ).application.components.nodes[0].placement;
    const applied = await seen();
    expect(applied).toEqual({
      nodeLabels: [{ key: 'disktype', value: 'ssd' }],
      tolerations: [
        { key: 'dedicated', operator: 'EQUAL', value: 'web', effect: 'NO_SCHEDULE' },
        { key: null, operator: 'EXISTS', value: null, effect: null },
      ],
      spread: 'NODE',
      minAvailable: 2,
    });
    const json = JSON.parse((await exported(trellis, appId, 'JSON')).document);
    expect(json.components.web.placement).toEqual({
      nodeLabels: [{ key: 'disktype', value: 'ssd' }],
      tolerations: [{ key: 'dedicated', value: 'web', effect: 'NO_SCHEDULE' }, { operator: 'EXISTS' }],
      spread: 'NODE',
      minAvailable: 2,
    });
    expect((await plan(trellis, place, JSON.stringify(json))).changes).toEqual([]);
    const planned = await plan(trellis, place, document('    placement: { spread: ZONE }\n'));
    expect(planned.changes).toMatchObject([{ fields: [{ field: 'placement', after: '{"spread":"ZONE"}' }] }]);
    // What the document does not have stays.
    await apply(trellis, place, document(''));
    expect(await seen()).toEqual(applied);
    await apply(trellis, place, document('    placement: null\n'));
    expect(await seen()).toEqual(anywhere);
  });

  it('refuses what contradicts itself', async () => {
    const place = await trellis.createPlace();
    await apply(trellis, place, document(''));
    for (const part of [
      '    placement: { minAvailable: 3 }\n',
      '    placement: { tolerations: [{ value: a }] }\n',
      '    placement: { nodeLabels: [{ key: a, value: b }, { key: a, value: c }] }\n',
      '    placement: { spread: rack }\n',
      '    placement: { rack: 1 }\n',
    ]) {
      expect(await tryApply(trellis, place, document(part)), part).toMatchObject({ code: 'INVALID_INPUT' });
    }
  });
});

describe('a component that was scaled to fewer instances than stay available', () => {
  it('keeps the number where the rest changes, and is created elsewhere by its manifest', async () => {
    const place = await trellis.createPlace();
    const { appId } = (await apply(trellis, place, document(own))).application;
    const of = '{ components(first: 1) { nodes { componentId: uid } } }';
    const { application } = await trellis.data(`{ application(by: { appId: ${appId} }) ${of} }`);
    const [component] = application.components.nodes;
    await trellis.succeed('scaleComponent', { component, replicas: 2 }, '__typename');
    const changed = await set(component, { spread: 'ZONE', minAvailable: 2 });
    expect(changed.component.placement).toMatchObject({ spread: 'ZONE', minAvailable: 2 });
    expect(await refusal(component, { minAvailable: 3 })).toMatchObject({ code: 'INVALID_INPUT' });
    const text = (await exported(trellis, appId, 'YAML')).document;
    expect((await plan(trellis, place, text)).changes).toEqual([]);
    const copy = text.replace('application: shop', 'application: copy');
    const { application: made } = await apply(trellis, place, copy);
    expect((await exported(trellis, made.appId, 'YAML')).document).toBe(copy);
  });
});

describe('a release', () => {
  it('brings the placement back that it had, also beside fewer instances than it leaves available', async () => {
    const component = await newComponent({ replicas: 3 });
    const deploy = () => trellis.succeed('deployComponent', { component }, '__typename');
    const rollBack = (release: number) =>
      trellis.succeed('rollbackComponent', { component, release }, '__typename');
    await deploy();
    await set(component, full);
    await trellis.succeed('updateComponent', { component, replicas: 1 }, '__typename');
    await deploy();
    await rollBack(1);
    expect((await read(component)).placement).toEqual(anywhere);
    await rollBack(2);
    expect((await read(component)).placement).toEqual(stored);
  });
});
