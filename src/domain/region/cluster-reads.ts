import type { Context, Services } from '../../context.ts';
import { Params } from '../../db/query/statement.ts';
import type { Row } from '../../db/tables.ts';
import { requireWritable } from '../../db/write/change.ts';
import type {
  ClusterCheck,
  Crossing,
  KubeconfigContent,
  KubernetesRegion,
  RegionSource,
} from '../../drivers/region/clusters.ts';
import type { RegionTarget } from '../../drivers/region/desired.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import { createBoundedCache } from '../../kernel/memo.ts';
import { invalid, issuesOf } from '../../kernel/validate.ts';
import { requireAdministrator } from '../user/reads.ts';
import { clusterDefaults, clusterOf } from './cluster-model.ts';
import {
  type CreateRegion,
  deployedState,
  kubeconfigContent,
  type RegionRef,
  type UpdateRegion,
} from './model.ts';
import { queryCredentialsOf } from './query-credential-model.ts';
import { requireRegionFor } from './reads.ts';

/** A region as a driver reaches it, with its credentials decrypted. */
export function regionTarget({ seal }: Pick<Services, 'seal'>, row: Row<'Region'>): RegionTarget {
  const open = (sealed: string | null) => (sealed === null ? null : seal.open(sealed));
  const { id, name, url, websocketUrl, httpDomain, tcpDomain } = row;
  return {
    id,
    name,
    url,
    websocketUrl,
    httpDomain,
    tcpDomain,
    credentials: {
      token: open(row.sealedToken),
      caCertificate: open(row.sealedCaCertificate),
      clientCertificate: open(row.sealedClientCertificate),
      clientKey: open(row.sealedClientKey),
    },
  };
}

const kubernetesRegion = (services: Pick<Services, 'seal'>, row: Row<'Region'>): KubernetesRegion => ({
  ...regionTarget(services, row),
  cluster: clusterOf(row),
  queryCredentials: queryCredentialsOf(services.seal, row),
});

/** How long a region that was read is used, so that a status does not take a statement more. */
const cacheMs = 2_000;
/** More regions than are used at once. */
const maxCached = 1_000;

/** The deploy states of components that a cluster has something of. */
const inClusters = [deployedState, 'closed'];

/** Those of the components that deployed components of other namespaces depend on. */
async function crossingsOf(db: Services['db'], targetIds: readonly string[]): Promise<Crossing[]> {
  const params = new Params(db.dialect);
  const among = params.among(targetIds, 'ComponentDependency', 'dependencyId', 'x');
  const states = () => inClusters.map((state) => params.add(state)).join(', ');
  const rows = (await db.query(
    `SELECT t.id, d.id, d.team_id, d.namespace_id FROM component_dependency x
       JOIN component t ON t.id = x.dependency_id JOIN component d ON d.id = x.component_id
       WHERE ${among}
         AND t.namespace_id <> d.namespace_id AND t.deploy_state IN (${states()}) AND d.deploy_state IN (${states()})
       ORDER BY t.id, d.id`,
    params.values,
  )) as [string, string, string, number | string][];
  if (rows.length === 0) return [];
  const dependentsOf = groupBy(rows, ([targetId]) => targetId);
  const keys = [...dependentsOf.keys()];
  const [targets, ports] = await Promise.all([
    db.component.findManyByKeys({
      by: 'id',
      keys,
      fields: ['id', 'teamId', 'applicationId', 'namespaceId', 'alias', 'clusterName'],
    }),
    db.port.findManyByKeys({ by: 'componentId', keys, where: [{ field: 'isInner', is: true }] }),
  ]);
  const portsOf = groupBy(ports, ({ componentId }) => componentId);
  return targets.flatMap((target) => {
    const open = portsOf.get(target.id);
    if (!open) return [];
    const dependents = dependentsOf
      .get(target.id)!
      .map(([, id, teamId, namespaceId]) => ({ id, teamId, namespaceId: Number(namespaceId) }));
    return [{ target, ports: open.sort((one, other) => one.number - other.number), dependents }];
  });
}

/** The database reads of the driver for clusters, including the rules of components. */
export function clusterSource(
  { db, seal, log }: Pick<Services, 'db' | 'seal' | 'log'>,
  otherRules: RegionSource['otherRules'],
  { allowsLocal }: Pick<RegionSource, 'allowsLocal'>,
): RegionSource {
  const cached = createBoundedCache<string, Promise<KubernetesRegion | undefined>>({
    size: maxCached,
    lifeMs: cacheMs,
  });
  async function read(id: string): Promise<KubernetesRegion | undefined> {
    const [row] = await db.region.findManyByKeys({ by: 'id', keys: [id] });
    return row && kubernetesRegion({ seal }, row);
  }
  return {
    log,
    allowsLocal,
    otherRules,
    region(id) {
      const known = cached.get(id);
      if (known) return known;
      const region = read(id);
      cached.set(id, region, 1);
      region.catch(() => cached.delete(id));
      return region;
    },
    async quota(regionId, teamId) {
      const opened = await db.teamRegion.findManyByKeys({ by: 'teamId', keys: [teamId] });
      const row = opened.find((each) => each.regionId === regionId);
      return { cpuMillicores: row?.cpuQuotaMillicores ?? 0, memoryMiB: row?.memoryQuotaMiB ?? 0 };
    },
    async needsRoot(regionId, { teamId, namespaceId }) {
      const counts = await db.component.countByKeys({
        parent: { field: 'teamId' },
        keys: [teamId],
        where: [
          { field: 'regionId', is: regionId },
          { field: 'namespaceId', is: namespaceId },
          { field: 'needsRoot', is: true },
          { field: 'deployState', in: inClusters },
        ],
      });
      return (counts.get(teamId) ?? 0) > 0;
    },
    async isInUse(applicationId, componentId) {
      const counts = await db.component.countByKeys({
        parent: { field: 'applicationId' },
        keys: [applicationId],
        where: [
          { field: 'deployState', in: inClusters },
          ...(componentId === undefined ? [] : [{ field: 'id' as const, is: componentId }]),
        ],
      });
      return (counts.get(applicationId) ?? 0) > 0;
    },
    crossings: (targetIds) => crossingsOf(db, targetIds),
  };
}

type Addressed = Partial<Pick<CreateRegion, 'credentials' | 'kubeconfig'>> | UpdateRegion;

/** The input with what its kubeconfig says. INVALID_INPUT if that is not supported. */
export async function withKubeconfig<T extends Addressed>(
  services: Pick<Services, 'drivers'>,
  input: T,
): Promise<T> {
  if (input.kubeconfig == null) return input;
  const path = ['input', 'kubeconfig'];
  if (input.credentials != null) throw invalid(path, 'Must not be set together with `credentials`');
  return { ...input, ...(await requireKubeconfig(services, input.kubeconfig, path)) };
}

/** The address and credentials in a kubeconfig. INVALID_INPUT at the path if it is not supported. */
async function requireKubeconfig(
  { drivers }: Pick<Services, 'drivers'>,
  text: string,
  path: string[],
): Promise<KubeconfigContent> {
  const found = await drivers.clusters.readKubeconfig(text);
  if (typeof found === 'string') throw invalid(path, found);
  // The limits are those of an address and credentials that are given without a kubeconfig.
  const checked = kubeconfigContent.safeParse(found);
  if (!checked.success) {
    const { path: at, message } = issuesOf(checked.error)[0]!;
    throw invalid(path, `Has an invalid ${at.at(-1)}: ${message}`);
  }
  return found;
}

/** INVALID_INPUT if the driver cannot reach a cluster at the address. */
export function requireReachable(driver: string, url: string): void {
  if (driver === 'kubernetes' && !url.startsWith('https:')) {
    throw invalid(['input', 'url'], 'Must start with https:// for the driver KUBERNETES');
  }
}

/** The addresses of a new region. Without a cluster, those that are not given lead nowhere. */
export function newAddresses(driver: string, input: CreateRegion) {
  const required = (field: string, value: string | null | undefined, isNeeded: string) => {
    if (value == null && driver === 'kubernetes') throw invalid(['input', field], isNeeded);
    return value;
  };
  const httpDomain =
    required('httpDomain', input.httpDomain, 'Required for the driver KUBERNETES') ?? `${input.name}.test`;
  const url =
    required('url', input.url, 'Required for the driver KUBERNETES, unless `kubeconfig` is set') ??
    `https://${httpDomain}`;
  requireReachable(driver, url);
  return {
    url,
    websocketUrl: input.websocketUrl ?? url.replace(/^http/, 'ws'),
    httpDomain,
    tcpDomain: input.tcpDomain ?? httpDomain,
  };
}

export interface RegionCheck extends ClusterCheck {
  url: string;
}

/** Looks at the cluster of a region, or at that of a kubeconfig. CONFLICT if the region has none. */
export async function checkRegion(
  context: Context,
  ref: RegionRef | null | undefined,
  kubeconfig: string | null | undefined,
): Promise<RegionCheck> {
  const region = ref
    ? await clusterRegion(context, ref)
    : {
        ...{ id: '', name: '', websocketUrl: '', httpDomain: '', tcpDomain: '' },
        cluster: clusterDefaults,
        queryCredentials: { metrics: null, logs: null },
      };
  if (kubeconfig == null) {
    if (!('credentials' in region)) throw invalid(['region'], 'Must be set, or else `kubeconfig`');
    return look(context, region);
  }
  if (!ref) requireAdministrator(context, 'createRegion', 'check clusters');
  // Whoever gives an address makes the server connect to it.
  requireWritable(context);
  return look(context, { ...region, ...(await requireKubeconfig(context, kubeconfig, ['kubeconfig'])) });
}

const look = async ({ drivers, signal }: Context, region: KubernetesRegion): Promise<RegionCheck> => ({
  url: region.url,
  ...(await drivers.clusters.check(region, signal)),
});

async function clusterRegion(context: Context, ref: RegionRef): Promise<KubernetesRegion> {
  const region = await requireRegionFor(context, ref, 'updateRegion', 'check regions');
  if (region.driver !== 'kubernetes') {
    throw new ConflictError(
      `The region ${region.name} has no cluster: its driver is ${region.driver.toUpperCase()}.`,
    );
  }
  return kubernetesRegion(context, region);
}
