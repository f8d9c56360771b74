import { unique } from '../support/fixtures.ts';
import type { Random } from '../support/random.ts';
import type { Client } from './client.ts';

interface Component {
  uid: string;
  /** One that is open inside of the cluster. */
  port: number;
}

interface Application {
  appId: number;
  components: Component[];
}

export interface Place {
  team: { teamId: string; name: string };
  region: { regionId: string; name: string };
  applications: Application[];
}

/** The data stays as large as it is: what is added beyond this is deleted again. */
const most = { applications: 6, components: 6 };

const tree = `query Tree($team: TeamRef!) { team(by: $team) { name applications(first: 20) { nodes { name state
  components(first: 20) { nodes { name desiredState ports { number isInner isOuter } } } } } } }`;
const small = 'query Small($team: TeamRef!) { team(by: $team) { uid name alias } }';

/** The requests of the load, chosen at random by their weights. */
export function createWorks(client: Client, places: readonly Place[], random: Random) {
  const some = () => {
    const place = random.pick(places);
    const application = place.applications.length > 0 ? random.pick(place.applications) : undefined;
    const { components = [] } = application ?? {};
    const component = components.length > 0 ? random.pick(components) : undefined;
    const path = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps`;
    return { place, application, component, path, team: { teamId: place.team.teamId } };
  };
  const ofComponent = (
    work: (chosen: { appId: number; uid: string; port: number; path: string }) => unknown,
  ) => {
    const { application, component, path } = some();
    if (!application || !component) return undefined;
    return work({ ...component, appId: application.appId, path: `${path}/${application.appId}/services` });
  };
  const portOf = ({ uid, port }: Component) => ({
    port: { at: { component: { componentId: uid }, number: port } },
  });

  const addApplication = async ({ team, region, applications }: Place) => {
    const input = {
      team: { teamId: team.teamId },
      region: { regionId: region.regionId },
      name: unique('app'),
    };
    const made = await client.mutate('createApplication', input, 'application { appId: uid }');
    if (made?.application) applications.push({ appId: made.application.appId, components: [] });
  };
  const addComponent = async ({ appId, components }: Application) => {
    const alias = unique('web');
    const made = await client.mutate(
      'createComponent',
      { application: { appId }, name: alias, alias, image: 'nginx:1.29', deploy: random.chance(0.5) },
      'component { uid }',
    );
    if (!made?.component) return;
    const { uid } = made.component;
    const port = 1 + random.below(65_535);
    const input = { component: { componentId: uid }, number: port, protocol: 'HTTP', isInner: true };
    const added = await client.mutate('addPort', input);
    if (added?.code === undefined) components.push({ uid, port });
  };
  const growOrShrink = async () => {
    const { place, application } = some();
    const { applications } = place;
    if (!application || random.chance(0.05)) {
      if (applications.length < most.applications) return addApplication(place);
      const [oldest] = applications.splice(0, 1);
      return client.mutate('deleteApplication', { application: { appId: oldest!.appId }, force: true });
    }
    if (application.components.length < most.components) return addComponent(application);
    const [oldest] = application.components.splice(0, 1);
    return client.mutate('deleteComponent', { component: { componentId: oldest!.uid }, force: true });
  };
  const unseen = () => {
    const name = unique('Unseen').replace('-', '');
    return client.graphql(`query ${name}($team: TeamRef!) { team(by: $team) { ${name}: name alias } }`, {
      team: some().team,
    });
  };

  const works: [weight: number, work: () => unknown][] = [
    [12, () => client.graphql(tree, { team: some().team })],
    [25, () => client.graphql(small, { team: some().team })],
    [10, () => client.send({ path: some().path })],
    [8, () => ofComponent(({ path }) => client.send({ path }))],
    [12, unseen],
    [10, growOrShrink],
    [3, () => ofComponent((chosen) => client.mutate('openOuterService', portOf(chosen)))],
    [3, () => ofComponent((chosen) => client.mutate('closeOuterService', portOf(chosen)))],
    [
      3,
      () =>
        ofComponent(({ uid }) =>
          client.mutate('scaleComponent', { component: { componentId: uid }, replicas: 1 + random.below(5) }),
        ),
    ],
    [
      2,
      () => {
        const { application } = some();
        return (
          application && client.mutate('deployApplication', { application: { appId: application.appId } })
        );
      },
    ],
    [
      3,
      () =>
        ofComponent(({ appId, uid, port }) =>
          client.mutate('createHttpRule', {
            application: { appId },
            component: { componentId: uid },
            portNumber: port,
            domain: `${unique('www')}.example`,
            opensPort: true,
          }),
        ),
    ],
    [
      2,
      () =>
        ofComponent(({ path, uid, port }) =>
          client.repeat(unique('key'), {
            method: 'PUT',
            path: `${path}/${uid}/ports/${port}`,
            body: JSON.stringify({ action: random.pick(['open_inner', 'close_inner']) }),
          }),
        ),
    ],
    [
      2,
      () =>
        client.repeat(unique('key'), {
          body: JSON.stringify({
            query: `mutation Rename($input: UpdateTeamInput!) { updateTeam(input: $input) {
              __typename ... on UpdateTeamPayload { team { alias revision } } ... on Error { code } } }`,
            variables: { input: { team: some().team, alias: unique('alias') } },
          }),
        }),
    ],
    [1, () => client.graphql('{ nothing }')],
    [1, () => client.graphql('{ teams( }')],
    [1, () => client.graphql(small, { team: { teamId: 'unknown' } })],
    [1, () => client.mutate('scaleComponent', { component: { componentId: 'unknown' }, replicas: -1 })],
    [1, () => client.send({ path: '/openapi/v1/teams/unknown/regions', token: `trl_${'u'.repeat(43)}` })],
  ];
  const weighted = works.flatMap(([weight, work]) => Array<typeof work>(weight).fill(work));
  return { next: () => random.pick(weighted)(), unseen };
}
