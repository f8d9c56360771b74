import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from './fixtures.ts';
import { documents } from './manifest-documents.ts';
import { apply, comparable, elsewhere, exported, exportedInBoth, plan } from './manifests.ts';
import { declaredWithRuns } from './schedules.ts';
import { startTrellis, type Trellis } from './trellis.ts';

let trellis: Trellis;
/** Applications at the same time: each mostly waits for the database. */
const concurrency = 6;

/** Changes that people make past the manifest, of the first component and its first port. */
export const changesPast = fc.array(
  fc.constantFrom(
    'openOuterService',
    'closeOuterService',
    'changePortAlias',
    'deletePort',
    'addPort',
    'setVariables',
    'stopComponent',
    'deployComponent',
    'createSchedule',
    'setSnapshotSchedule',
    'sameName',
  ),
  { maxLength: 4 },
);

export async function changePast(trellis: Trellis, names: readonly string[], appId: number): Promise<void> {
  if (names.length === 0) return;
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) { application(by: $by) { components(first: 1) { nodes { uid name ports { nodes { number } } volumes { nodes { id } } } } } }`,
    { by: { appId } },
  );
  const [first] = application.components.nodes;
  if (!first) return;
  const component = { componentId: first.uid };
  const numbers: number[] = first.ports.nodes.map(({ number }: { number: number }) => number);
  for (const name of names) {
    const port = { at: { component, number: numbers[0] ?? 1 } };
    const inputs: { [name: string]: object } = {
      changePortAlias: {
        port,
        alias: unique('ALIAS').toUpperCase().replace(/\W/g, '_'),
        serviceName: unique('name'),
      },
      addPort: { component, number: 7777, protocol: 'TCP' },
      setVariables: {
        component,
        set: [
          { name: 'ADDED_TOKEN', value: 'x' },
          { name: 'PLAIN', value: '', scope: 'CONNECTION' },
        ],
      },
      stopComponent: { component, force: true },
      deployComponent: { component },
      setSnapshotSchedule: {
        volume: { id: first.volumes.nodes[0]?.id ?? 'none' },
        cron: '0 0 1 1 *',
        keep: 3,
      },
      createSchedule: { component, cron: '0 0 1 1 *', command: ['added'] },
    };
    if (name === 'sameName') {
      const twin = {
        application: { appId },
        name: first.name,
        image: 'nginx:1.29',
        dependencies: [component],
      };
      await trellis.succeed('createComponent', twin, '__typename');
      continue;
    }
    // A rule may be in the way, or the state.
    const { __typename } = await trellis.attempt(name, inputs[name] ?? { port });
    if (__typename === 'DeletePortPayload') numbers.shift();
    if (__typename === 'AddPortPayload') numbers.push(7777);
  }
}

const unchanged = async (place: Place, document: string) => {
  const { changes: left, leftOver } = await plan(trellis, place, document);
  expect([left, leftOver]).toEqual([[], []]);
};

const keepsItsPromises = fc.asyncProperty(documents, changesPast, async (generated, made) => {
  const [place, other] = [await trellis.createPlace(), await trellis.createPlace()];
  const document = elsewhere(JSON.stringify(generated), unique('app'));
  const { application } = await apply(trellis, place, document);
  const after = await plan(trellis, place, document);
  expect([after.changes, after.adopted]).toEqual([[], []]);
  await changePast(trellis, made, application.appId);
  const { yaml, json } = await exportedInBoth(trellis, application.appId);
  await unchanged(place, yaml);
  const copy = await apply(trellis, other, elsewhere(json, unique('copy')));
  const copied = await exported(trellis, copy.application.appId, 'JSON');
  expect(comparable(copied.document)).toEqual(comparable(json));
});

/** Applies and exports so many generated applications, or as many as the environment asks for. */
export function describeManifestProperties(defaultRuns: number): void {
  const runs = Number(process.env.MANIFEST_RUNS ?? defaultRuns);
  beforeAll(async () => {
    trellis = await startTrellis({ drivers: [declaredWithRuns] });
  });
  afterAll(() => trellis.close());

  describe('manifests', () => {
    it('hold what they promise for any application', {
      timeout: Math.max(480_000, runs * 2_000),
    }, async () => {
      const numRuns = Math.ceil(runs / concurrency);
      await Promise.all(
        Array.from({ length: concurrency }, () =>
          fc.assert(keepsItsPromises, { numRuns, endOnFailure: true }),
        ),
      );
    });
  });
}
