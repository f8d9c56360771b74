import type { Context } from '../../context.ts';
import type { FoundComponent, OmittedPart } from '../../convert/kubernetes/model.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import type { Reading } from '../../db/write/reading.ts';
import { uncutLength } from '../../drivers/region/object-names.ts';
import { probesOf } from '../../drivers/region/probe-model.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import { freePortAlias } from '../app-store/name-model.ts';
import { defaultIsolation, namespaceIdOf, newNamespace } from '../application/model.ts';
import { autoscalingColumnsOf } from '../component/autoscaling/model.ts';
import { probeColumnsOf } from '../component/health/model.ts';
import { givenLimits, limitsWith } from '../component/limits-model.ts';
import { isSecretName } from '../component/model.ts';
import { freeName, type TakenNames } from '../component/names/model.ts';
import { namesInUse } from '../component/names/reads.ts';
import { placementColumnOf, placementOf } from '../component/placement/model.ts';
import { claimDomains } from '../gateway-rule/http/domain-rows.ts';
import { configured } from '../gateway-rule/http/model.ts';
import type { Claim } from '../gateway-rule/http/sharing-reads.ts';
import { applyComponents, completePlan } from '../plan/apply-rows.ts';
import { requireFreeVolumes } from '../plan/claims.ts';
import { newComponentRow, planComponent } from '../plan/component.ts';
import { type ApplyWrite, policyOfManifests, type WritePolicy } from '../plan/parts-rows.ts';
import { sceneWithin } from '../plan/scene.ts';
import { type ComponentWork, noRoutes, type RouteWork } from '../plan/work.ts';
import { defaultAlias } from '../port/model.ts';

/** The event of the application has the components. Their ports are open by the rules that they had. */
const policy: WritePolicy = { ...policyOfManifests, recordsParts: false, hasDefaultRules: false };

type Tell = (name: string, what: string) => void;

type PlaceReading = Reading<Context> & Pick<ApplyWrite, 'team' | 'region'>;

/** The domains that the team can have; the others are reported. */
async function ownDomains(write: ApplyWrite, claims: readonly Claim[], tell: Tell): Promise<Set<string>> {
  const domains = [...new Set(claims.map(({ domain }) => domain))];
  try {
    await claimDomains(write, claims);
    return new Set(domains);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
  const free = new Set<string>();
  for (const domain of domains) {
    try {
      await claimDomains(
        write,
        claims.filter((claim) => claim.domain === domain),
      );
      free.add(domain);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      tell(domain, `the rules of the domain: ${error.message}`);
    }
  }
  return free;
}

/** A new component with the workload that it is made of. */
interface Imported {
  component: FoundComponent;
  work: ComponentWork;
}

/** What is created of the workloads of a namespace. */
interface FoundWork {
  works: ComponentWork[];
  /** Includes the rules of domains that the team may not have. */
  routes: RouteWork;
  omitted: OmittedPart[];
}

const omitting = (omitted: OmittedPart[]): Tell => {
  return (name, what) => void omitted.push({ kind: 'Component', name, what });
};

/** Plans components with their parts. Names stay the same as far as they are free. */
export async function planFound(
  reading: PlaceReading,
  components: readonly FoundComponent[],
): Promise<FoundWork> {
  const omitted: OmittedPart[] = [];
  const imported = await worksOf(reading, components, omitting(omitted));
  const works = imported.map(({ work }) => work);
  const routes = routesOf(imported);
  await completePlan(reading, { components: works, routes });
  return { works, routes, omitted };
}

/** Creates planned components, which are not deployed. */
export async function insertFound(
  write: ApplyWrite,
  application: Row<'Application'>,
  { works, routes, omitted: renamed }: FoundWork,
): Promise<OmittedPart[]> {
  const omitted = [...renamed];
  await requireFreeVolumes(write, works);
  const { id: applicationId } = application;
  const rules = routes.http.create.map((rule) => ({ rule, domain: rule.data.domain! }));
  const claims = rules.map(({ rule, domain }) => ({ domain, applicationId, componentId: rule.work.row.id }));
  const domains = await ownDomains(write, claims, omitting(omitted));
  const create = rules.flatMap(({ rule, domain }) => (domains.has(domain) ? rule : []));
  await applyComponents(
    { ...write, application, manifestId: null, policy },
    { components: works, removed: [], routes: { ...routes, http: { ...routes.http, create } } },
    { kind: 'apply', deploy: 'none' },
  );
  return omitted;
}

async function worksOf(
  reading: PlaceReading,
  components: readonly FoundComponent[],
  tell: Tell,
): Promise<Imported[]> {
  const { context, team, region } = reading;
  const namespaceId = namespaceIdOf({ id: newNamespace, isolation: defaultIsolation });
  const scene = sceneWithin(context, { team, region, namespaceId });
  const names = await namesInUse(reading, scene);
  const inTeam = await findByKeys(reading, 'Component', 'teamId', [team.id], ['id'], {
    fields: ['alias'],
    where: { field: 'regionId', is: region.id },
  });
  const taken = { aliases: new Set(inTeam.map(({ alias }) => alias)), ...names.takenBy(null) };
  const free = (of: string, wanted: string, used: TakenNames, what: string, max = 63) => {
    const name = freeName(wanted, used, max);
    if (name !== wanted) tell(of, `the ${what} ${wanted}, which is taken: it is ${name}`);
    return name;
  };
  const rowOf = (component: FoundComponent) => {
    const { name, image, entrypoint, command, replicas, cpuMillicores, memoryMiB, extendMethod } = component;
    const sizes = { cpuMillicores, memoryMiB };
    const { preStopSeconds, terminationGracePeriodSeconds, probes } = component;
    const alias = freeName(name, taken.aliases, 63);
    if (component.needsRoot && !region.allowsRoot) {
      tell(name, `root, which the region ${region.name} does not allow: the image must run as another user`);
    }
    const service = component.ports.length > 0 ? (component.serviceName ?? alias) : null;
    const row = newComponentRow(scene, {
      ...{ alias, name, image, entrypoint, command, replicas, ...sizes, extendMethod },
      ...limitsWith({ ...sizes, ...givenLimits(component) }),
      clusterName: free(name, name, taken.clusterNames, 'name', uncutLength),
      serviceName: service && free(name, service, taken.serviceNames, 'service name'),
      placement: placementColumnOf(placementOf(component.placement)),
      ...{ preStopSeconds, terminationGracePeriodSeconds, ...probeColumnsOf(probesOf(probes)) },
      ...autoscalingColumnsOf(component.autoscaling),
      needsRoot: component.needsRoot && region.allowsRoot,
      sourceKind: 'container_run',
    });
    return { component, row };
  };
  const workOf = ({ component, row }: ReturnType<typeof rowOf>): Imported => {
    const aliases = new Set<string>();
    const portOf = ({
      number,
      protocol,
      isInner,
      additionalName: wanted,
    }: (typeof component.ports)[number]) => ({
      ...{ protocol, isInner },
      alias: freePortAlias(defaultAlias(row.alias, number), number, aliases),
      isOuter: component.httpRules.some(({ portNumber }) => portNumber === number),
      serviceName: wanted && free(component.name, wanted, taken.serviceNames, 'service name'),
    });
    const variables = component.variables.map(
      ({ name, value, isSecret }) => [name, { value, isSecret: isSecret || isSecretName(name) }] as const,
    );
    const work = planComponent(scene, row, null, {
      variables: new Map(variables),
      volumes: new Map(component.volumes.map((volume) => [volume.name, volume])),
      schedules: new Map(component.schedules.map(({ name, ...schedule }) => [name, schedule])),
      ports: new Map(component.ports.map((port) => [String(port.number), portOf(port)])),
    });
    return { component, work };
  };
  // The names of components take precedence over those of ports.
  const rows = await mapInSlices(components, rowOf, context.signal);
  return mapInSlices(rows, workOf, context.signal);
}

function routesOf(imported: readonly Imported[]): RouteWork {
  const routes = noRoutes();
  for (const { component, work } of imported) {
    for (const { portNumber, domain, path, header, weight } of component.httpRules) {
      const data = {
        ...{ domain: domain.toLowerCase(), path, header, weight, cookie: '' },
        ...{ isDefault: false, isPublished: true, rewrites: '[]', extensions: '[]' },
        configuration: JSON.stringify(configured(null)),
      };
      routes.http.create.push({ work, port: work.portsAfter.get(portNumber)!, data });
    }
  }
  return routes;
}
