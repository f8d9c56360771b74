import { issue } from '../certificates.ts';
import { unique } from '../fixtures.ts';
import { type Refusal, refused, type World } from './world.ts';

const ruleOf = ({ shop, web, domain }: World, options: object = {}) => ({
  ...shop,
  ...web,
  portNumber: 8080,
  opensPort: true,
  domain,
  ...options,
});

const succeed = ({ trellis }: World, mutation: string, input: object, selection = '__typename') =>
  trellis.succeed(mutation, input, selection);

/** A certificate of the team, for a name of its own. */
async function certificateOf(world: World, name: string, host: string) {
  const { pem, key } = await issue({ names: [host] });
  const input = { team: world.refs.team, name, chain: pem, key };
  const { certificate } = await succeed(world, 'addCertificate', input, 'certificate { id }');
  return { certificate: { id: certificate.id as string } };
}

/** Another team in the region, with a component and a port. */
async function neighbour({ trellis, place }: World) {
  const team = await trellis.createTeam();
  const region = { regionId: place.region.regionId };
  await trellis.succeed('openTeamRegion', { team: { teamId: team.teamId }, region }, '__typename');
  const { appId } = await trellis.createApplication({ ...place, team }, 'Next door');
  const { componentId } = await trellis.createComponent(appId, { name: 'Over there', alias: unique('c') });
  await trellis.addPort(componentId, 8080);
  return { application: { appId }, component: { componentId } };
}

/** A port with the default rule of the region. */
async function opened(world: World, component: object, number: number, protocol: string) {
  const { port } = await succeed(world, 'addPort', { ...component, number, protocol }, 'port { id }');
  await succeed(world, 'openOuterService', { port: { id: port.id } });
}

const endpoint = '203.0.113.7:30123';

/** Requests that fail because of a port, a rule, a domain or a certificate. */
export const exposureRefusals: Refusal[] = [
  refused(
    'adds the same rule again',
    'createHttpRule',
    async (world) => {
      await succeed(world, 'createHttpRule', ruleOf(world));
      return ruleOf(world);
    },
    ({ domain }) => [domain],
  ),
  refused(
    'changes the protocol of a port that is open',
    'changePortProtocol',
    ({ main }) => ({ ...main, protocol: 'TCP' }),
    () => ['8080'],
  ),
  refused(
    'changes the protocol of a port that has rules',
    'changePortProtocol',
    async (world) => {
      await succeed(world, 'closeOuterService', world.main);
      return { ...world.main, protocol: 'TCP' };
    },
    ({ domain }) => ['8080', domain],
  ),
  refused(
    'deletes a port that has rules',
    'deletePort',
    ({ main }) => main,
    ({ domain }) => ['8080', domain],
  ),
  refused(
    'adds an HTTP rule to a TCP port',
    'createHttpRule',
    (world) => ruleOf(world, { ...world.db, portNumber: 5432, domain: `tcp.${world.domain}` }),
    () => ['5432'],
  ),
  refused(
    'uses a domain of another team',
    'createHttpRule',
    async (world) => ({ ...ruleOf(world), ...(await neighbour(world)) }),
    ({ domain, place }) => [domain, place.region.name],
  ),
  refused(
    'uses a domain of the platform',
    'createHttpRule',
    (world) => ruleOf(world, { domain: `x.${world.place.region.name}.apps.example` }),
    ({ place }) => [place.region.name, place.team.name],
  ),
  refused(
    'uses a certificate for another domain',
    'createHttpRule',
    async (world) =>
      ruleOf(world, {
        domain: `b.${world.domain}`,
        ...(await certificateOf(world, 'Other name', 'other.example.org')),
      }),
    () => ['Other name'],
  ),
  refused(
    'adds a certificate of the same name',
    'addCertificate',
    async ({ refs }) => {
      const { pem, key } = await issue({ names: ['other.example.org'] });
      return { team: refs.team, name: 'Other name', chain: pem, key };
    },
    ({ place }) => [place.team.name, 'Other name'],
  ),
  refused(
    'deletes a certificate that is in use',
    'deleteCertificate',
    async (world) => {
      const domain = `c.${world.domain}`;
      const made = await certificateOf(world, 'In use', domain);
      await succeed(world, 'createHttpRule', ruleOf(world, { domain, ...made }));
      return made;
    },
    ({ domain }) => ['In use', `c.${domain}`],
  ),
  refused(
    'asks for a certificate where no issuer is set',
    'createHttpRule',
    (world) => ruleOf(world, { domain: `d.${world.domain}`, autoSsl: true }),
    ({ place }) => [place.region.name],
  ),
  refused(
    'uses an endpoint that is in use',
    'createTcpRule',
    async (world) => {
      const rule = { ...world.shop, ...world.db, portNumber: 5432, endpoint };
      await succeed(world, 'createTcpRule', rule);
      return { ...rule, endpoint: '0.0.0.0:30123' };
    },
    ({ place }) => [endpoint, place.region.name],
  ),
  refused(
    'uses the same endpoint again',
    'createTcpRule',
    ({ shop, db }) => ({ ...shop, ...db, portNumber: 5432, endpoint }),
    ({ place }) => [endpoint, place.region.name],
  ),
  refused(
    'makes a domain that is in use that of a region',
    'updateRegion',
    ({ refs, domain }) => ({ region: refs.region, httpDomain: domain.slice(domain.indexOf('.') + 1) }),
    ({ place }) => [place.region.name],
  ),
  refused(
    'changes the domain of a region below which rules are',
    'updateRegion',
    async (world) => {
      await opened(world, world.web, 9090, 'HTTP');
      return { region: world.refs.region, httpDomain: `${unique('moved')}.apps.example` };
    },
    ({ place }) => [place.region.name],
  ),
  refused(
    'changes the address of a region that TCP rules have',
    'updateRegion',
    async (world) => {
      await opened(world, world.db, 5433, 'TCP');
      return { region: world.refs.region, tcpDomain: `${unique('moved')}.tcp.example` };
    },
    ({ place }) => [place.region.name],
  ),
];
