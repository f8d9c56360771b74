import { type Place, refsOf } from './fixtures.ts';

/** A request of a walk, as the least role that may make it. */
export interface Request {
  title: string;
  query: string;
  variables?: object;
  token: string;
  /** Whether it is not sent several times at once. */
  isAlone?: boolean;
}

/** The most components of a manifest. */
const mostInDocument = 500;

/** An application of which all components are read or changed at once. */
export interface Heavy {
  place: Place;
  application: { appId: number; name: string };
  components: { componentId: string; name: string }[];
}

export const changeOf =
  (token: string) =>
  (name: string, input: object): Request => {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input!`;
    const query = `mutation ($input: ${type}) { ${name}(input: $input) { __typename ... on Error { code message } } }`;
    return { title: name, query, variables: { input }, token };
  };

/** What reads or changes all components of an application, or would deploy them. */
export function requestsOf(
  { place, application, components }: Heavy,
  { viewer, developer }: Readonly<Record<'viewer' | 'developer', string>>,
): Request[] {
  const of = { appId: application.appId };
  const [{ componentId }] = components as [Heavy['components'][0], ...Heavy['components']];
  const document = (files: object) =>
    JSON.stringify({
      application: application.name,
      components: Object.fromEntries(
        components
          .slice(0, mostInDocument)
          .map(({ name }) => [name, { image: 'nginx:1.29', volumes: files }]),
      ),
    });
  const written = document({ a: { path: '/a', type: 'config-file', fileContent: 'a' } });
  const plan = (title: string, text: string): Request => ({
    title,
    query: `query ($team: TeamRef!, $region: RegionRef!, $document: String!) {
      planManifest(team: $team, region: $region, document: $document, prune: OWNED) { digest }
    }`,
    variables: { ...refsOf(place), document: text },
    token: viewer,
  });
  const read = (title: string, selection: string): Request => ({
    title,
    query: `query ($of: ApplicationRef!) { application(by: $of) { ${selection} } }`,
    variables: { of },
    token: viewer,
  });
  const change = changeOf(developer);
  const at = new Date().toISOString();
  const dry = (name: string, input: object): Request => ({
    ...change(name, { ...input, dryRun: true }),
    title: `the dry run of ${name}`,
  });
  return [
    plan('a plan that writes a file in each component', written),
    plan('a plan that removes all', `application: ${application.name}`),
    read('manifests', 'yaml: manifest { document } json: manifest(format: JSON) { document }'),
    read('variables', 'components(first: 100) { nodes { variables(first: 100) { nodes { name value } } } }'),
    read(
      'the parts of its components',
      `components(first: 100) { nodes {
        name command ports(first: 20) { nodes { number } } gatewayRules { http(first: 20) { nodes { extensions rewriteRules { regex } } } }
        schedules(first: 20) { nodes { command } } runs(first: 20) { nodes { command } }
        dependencies(first: 20) { nodes { name } } deployHooks(first: 20) { nodes { id } }
      } }`,
    ),
    read('files', 'components(first: 100) { nodes { volumes(first: 100) { nodes { fileContent } } } }'),
    read(
      'releases',
      'components(first: 100) { nodes { releases(first: 10) { nodes { manifest diff { name } } } } }',
    ),
    dry('deployApplication', { application: of }),
    dry('deployComponent', { component: { componentId } }),
    dry('rollbackApplication', { application: of, at }),
    dry('restartApplication', { application: of }),
    dry('startApplication', { application: of }),
    dry('stopApplication', { application: of }),
    dry('deleteApplication', { application: of, force: true }),
    dry('applyManifest', { ...refsOf(place), document: written }),
    dry('copyApplication', { application: of, name: 'copied', secrets: 'OMIT' }),
    dry('setVariables', { component: { componentId }, set: [{ name: 'A', value: 'b' }] }),
    change('deployApplication', { application: of }),
    dry('rollbackComponent', { component: { componentId }, release: 1 }),
    change('rollbackApplication', { application: of, at }),
    change('applyManifest', { ...refsOf(place), document: written }),
    change('publishApplication', { application: of, version: '1.0.0' }),
    change('setVariables', { component: { componentId }, set: [{ name: 'A', value: 'b' }] }),
    change('addVolume', { component: { componentId }, name: 'b', path: '/b', type: 'local' }),
    change('stopApplication', { application: of }),
    change('startApplication', { application: of }),
    change('restartApplication', { application: of }),
    change('updateApplication', { application: of, note: 'x'.repeat(2_048), previews: { most: 1 } }),
    change('copyApplication', { application: of, name: 'copied', secrets: 'OMIT' }),
    change('openPreview', { application: of, key: 'walked' }),
    change('closePreview', { application: of, key: 'walked' }),
  ];
}

/**
 * What installs, upgrades, takes back and removes a template with many components. The versions are published. What is installed
 * several times at once is upgraded at once as well, so that the upgrade is that of another application.
 */
export async function* templateRequests(
  of: { appId: number; crowdedId: number; store: object; storeName: string; templateId: string },
  developer: string,
  groupOf: () => Promise<{ groupId: number }>,
): AsyncGenerator<Request> {
  const application = { appId: of.appId };
  const { store, storeName, templateId } = of;
  const change = changeOf(developer);
  const both = function* (name: string, input: object) {
    yield { ...change(name, { ...input, dryRun: true }), title: `the dry run of ${name}, which is large` };
    yield { ...change(name, input), title: `${name}, which is large` };
  };
  const installed = { store, templateId, version: '1.0.0', deploy: true };
  yield* both('installApplication', { ...installed, application: { appId: of.crowdedId } });
  yield { ...change('installApplication', { ...installed, application }), isAlone: true };
  yield* both('upgradeApplication', { application, upgrades: [{ storeName, templateId, version: '2.0.0' }] });
  yield* both('rollbackUpgrade', { group: await groupOf() });
  yield* both('uninstallComponentGroup', { group: await groupOf(), force: true });
}
