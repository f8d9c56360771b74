import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from './fixtures.ts';
import { expectConsistent } from './invariants.ts';
import { ringTemplate } from './templates.ts';
import { startTrellis, type Trellis } from './trellis.ts';

let trellis: Trellis;
let place: Place;
let template: ReturnType<typeof ringTemplate>;
/** Another application of the team. */
let elsewhere: number;

/** An application with a published component, and another that depends on it. */
async function createScene() {
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  await trellis.addPort(componentId, 80);
  const target = { application: { appId }, component: { componentId }, portNumber: 80 };
  const domain = `${unique('www')}.example`;
  await trellis.succeed('createHttpRule', { ...target, domain, opensPort: true }, 'rule { id }');
  const other = await trellis.createComponent(appId, { dependencies: [{ componentId }] });
  return { appId, component: { componentId }, other: { componentId: other.componentId }, target };
}
type Scene = Awaited<ReturnType<typeof createScene>>;

let number = 1000;
const deletions: Record<string, (scene: Scene) => [string, object]> = {
  deleteComponent: ({ component }) => ['deleteComponent', { component, force: true }],
  deleteApplication: ({ appId }) => ['deleteApplication', { application: { appId }, force: true }],
};
const others = {
  'the same deletion': ({ component }) => ['deleteComponent', { component, force: true }],
  'the deletion of its application': ({ appId }) => [
    'deleteApplication',
    { application: { appId }, force: true },
  ],
  'the deletion of what depends on it': ({ other }) => ['deleteComponent', { component: other }],
  addPort: ({ component }) => ['addPort', { component, number: number++, protocol: 'HTTP' }],
  deletePort: ({ component }) => ['deletePort', { port: { at: { component, number: 80 } } }],
  closeOuterService: ({ component }) => ['closeOuterService', { port: { at: { component, number: 80 } } }],
  createHttpRule: ({ target }) => ['createHttpRule', { ...target, domain: `${unique('www')}.example` }],
  createComponent: ({ appId, component }) => [
    'createComponent',
    { application: { appId }, name: 'new', image: 'new:1', dependencies: [component] },
  ],
  'createComponent in another application': ({ component }) => [
    'createComponent',
    { application: { appId: elsewhere }, name: 'new', image: 'new:1', dependencies: [component] },
  ],
  addDependency: ({ component, other }) => ['addDependency', { component, dependency: other }],
  setVariables: ({ component }) => ['setVariables', { component, set: [{ name: 'A', value: '1' }] }],
  installApplication: ({ appId }) => [
    'installApplication',
    {
      application: { appId },
      store: { url: trellis.url, domain: 'self', accessKey: trellis.adminToken },
      templateId: template.key,
      version: '1.0.0',
    },
  ],
  deployComponent: ({ component }) => ['deployComponent', { component }],
  deployApplication: ({ appId }) => ['deployApplication', { application: { appId } }],
  'the deploy of what depends on it': ({ other }) => ['deployComponent', { component: other }],
  updateComponent: ({ component }) => ['updateComponent', { component, image: 'other:2', deploy: true }],
  updateApplication: ({ appId }) => ['updateApplication', { application: { appId }, name: unique('name') }],
} satisfies Record<string, (scene: Scene) => [string, object]>;
type Other = keyof typeof others;

/** What can come at the same time as a deletion. */
export const raced = Object.keys(others) as Other[];

const outcomeOf = ({ __typename, code }: any) => code ?? __typename;

/** Has each of these come at the same time as the deletion of a component, and of its application. */
export function describeDeletionRaces(names: readonly Other[]): void {
  beforeAll(async () => {
    trellis = await startTrellis();
    place = await trellis.createPlace();
    elsewhere = (await trellis.createApplication(place)).appId;
    template = ringTemplate(3);
    await trellis.succeed('publishTemplate', { template: template.text }, 'template { uid }');
  });
  afterAll(() => trellis.close());

  describe.each(Object.keys(deletions))('%s', (deletion) => {
    it.each(names)('and %s at the same time leave nothing half done', async (name) => {
      const second = others[name];
      const scenes = await Promise.all([createScene(), createScene()]);
      const outcomes = await Promise.all(
        scenes.map((scene, index) => {
          const [one, two] = [deletions[deletion]!(scene), second(scene)];
          // Each comes first once.
          const both = index % 2 === 0 ? [one, two] : [two, one];
          return Promise.all(both.map(([mutation, input]) => trellis.attempt(mutation, input)));
        }),
      );
      for (const results of outcomes) {
        const codes = results.map(outcomeOf);
        expect(
          codes.every((each) => /Payload$|^(NOT_FOUND|CONFLICT)$/.test(each)),
          codes.join(),
        ).toBe(true);
        // One of them is made.
        expect(
          codes.some((each) => each.endsWith('Payload')),
          codes.join(),
        ).toBe(true);
      }
      await expectConsistent(trellis);
    });
  });
}
