import { describe, expect, it } from 'vitest';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  type Deployed,
  deploy,
  jobsOf,
  patience,
  somebody,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server } = useClusterWorld({ jobs: { backoffMaxMs: 200 }, reconciles: true });

/** Two components that are deployed, each with a port. */
async function deployTwo(place: ClusterPlace, protocol = 'HTTP'): Promise<[Deployed, Deployed]> {
  const both = (await deploy(trellis, place, [{}, {}])) as [Deployed, Deployed];
  for (const { componentId } of both) await trellis.addPort(componentId, 8080, { protocol });
  return both;
}

const selection = 'rule { httpRuleId: uid limitations { refused ignored } }';

/** A rule of a component that is open to the outside. */
async function addRule(place: ClusterPlace, { componentId }: Deployed, input: object) {
  const target = { application: { appId: place.appId }, component: { componentId }, portNumber: 8080 };
  const rule = { ...target, opensPort: true, ...input };
  return (await trellis.succeed('createHttpRule', rule, selection)).rule;
}

const listed = ({ namespace }: ClusterPlace, kind: string): any[] =>
  server.cluster.store.list(kindNamed(kind), namespace);

/** The Services behind each route of a domain, with their weights. */
const weightsOf = (place: ClusterPlace, domain: string) =>
  listed(place, 'HTTPRoute')
    .filter(({ spec }) => spec.hostnames.includes(domain))
    .map(({ spec }) =>
      spec.rules[0].backendRefs
        .map(({ name, weight }: any) => `${name} ${weight}`)
        .sort()
        .join(', '),
    );

describe('components that share a domain and path in a cluster', () => {
  it('share requests by weight, whatever happens to each of them', async () => {
    const place = await createClusterPlace(trellis, server);
    const both = await deployTwo(place);
    const [one, two] = both;
    const domain = `${unique('shop')}.example.com`;
    const become = (...expected: string[]) =>
      expect.poll(() => weightsOf(place, domain), patience).toEqual(expected);
    const text = ({ alias }: Deployed, weight: number) => `${alias}-backend ${weight}`;
    const shared = (first: number, second: number) => [text(one, first), text(two, second)].sort().join(', ');

    const first = await addRule(place, one, { domain, weight: 80 });
    await become(text(one, 80));
    const { httpRuleId } = await addRule(place, two, { domain, weight: 20 });
    await become(shared(80, 20));
    expect(first.limitations).toEqual({ refused: [], ignored: [] });

    // Both at once, by two jobs.
    await Promise.all([
      trellis.succeed('updateHttpRule', { rule: { httpRuleId: first.httpRuleId }, weight: 60 }, '__typename'),
      trellis.succeed('updateHttpRule', { rule: { httpRuleId }, weight: 40 }, '__typename'),
    ]);
    await become(shared(60, 40));

    const [route] = listed(place, 'HTTPRoute').filter(({ spec }) => spec.hostnames.includes(domain));
    const { name } = route.metadata;
    const path = `/apis/gateway.networking.k8s.io/v1/namespaces/${place.namespace}/httproutes/${name}`;
    const [rule] = route.spec.rules;
    const edited = { spec: { rules: [{ ...rule, backendRefs: rule.backendRefs.slice(0, 1) }] } };
    somebody(place, 'PATCH', `${path}?fieldManager=kubectl-edit`, edited);
    await become(shared(60, 40));

    // Another team cannot have the domain.
    const { teamId } = await trellis.createTeam();
    const refs = { team: { teamId }, region: { regionId: place.region.regionId } };
    await trellis.succeed('openTeamRegion', refs, '__typename');
    const { appId } = await trellis.createApplication(refs as any, unique('app'));
    const { componentId } = await trellis.createComponent(appId);
    await trellis.addPort(componentId, 8080);
    const claim = { application: { appId }, component: { componentId }, portNumber: 8080, domain };
    expect((await trellis.attempt('createHttpRule', claim)).code).toBe('CONFLICT');

    const at = ({ componentId }: Deployed) => ({ component: { componentId } });
    await trellis.succeed('stopComponent', at(one), '__typename');
    await become(text(two, 40));
    await trellis.succeed('startComponent', at(one), '__typename');
    await trellis.succeed('deleteComponent', { ...at(two), force: true }, '__typename');
    await become(text(one, 60));
    const jobs = async () => (await jobsOf(trellis, place)).map(({ status }) => status);
    await expect.poll(jobs, patience).not.toContainEqual(expect.stringMatching(/PENDING|RUNNING|FAILED/));
  });

  it('are told and refused what an Ingress cannot express', async () => {
    const place = await createClusterPlace(trellis, server, { cluster: { ingressClass: 'nginx' } });
    const [one, two] = await deployTwo(place, 'GRPC');
    const domain = `*.${unique('shop')}.example.com`;
    const first = await addRule(place, one, { domain, weight: 80 });
    expect(first.limitations).toEqual({ refused: [], ignored: ['domain', 'protocol'] });
    const second = await addRule(place, two, { domain, weight: 20 });
    expect(second.limitations).toEqual({ refused: ['the weights'], ignored: ['domain', 'protocol'] });
    await expect
      .poll(async () => (await jobsOf(trellis, place)).map(({ error }) => error), patience)
      .toContainEqual(
        expect.stringContaining(`The cluster cannot express the weights of the rule for ${domain}/.`),
      );
    const ingresses = () =>
      listed(place, 'Ingress').map(({ metadata }) => metadata.labels['app.kubernetes.io/instance']);
    await expect.poll(ingresses, patience).toEqual([one.alias]);
  });
});
