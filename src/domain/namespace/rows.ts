import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import type { FoundComponent, OmittedPart } from '../../drivers/region/namespace.ts';
import { uncutLength } from '../../drivers/region/object-names.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import { fold } from '../../kernel/validate.ts';
import { freePortAlias } from '../app-store/name-model.ts';
import { autoscalingColumnsOf } from '../component/autoscaling/model.ts';
import { imageTag, initialDeployState, isSecretName } from '../component/model.ts';
import { freeName, type TakenNames } from '../component/names/model.ts';
import { namesInUse, requireFreeClaims } from '../component/names/reads.ts';
import { newComponentId } from '../component/operations.ts';
import { placementColumnOf, placementOf } from '../component/placement/model.ts';
import { insertComponents } from '../component/rows.ts';
import { requireConfigurationFits } from '../component/size/rows.ts';
import { insertVariables } from '../component/variables/many-rows.ts';
import { insertVolumes } from '../component/volumes/many-rows.ts';
import { ruleOf } from '../gateway-rule/address-reads.ts';
import { claimDomains } from '../gateway-rule/http/domain-rows.ts';
import { configured } from '../gateway-rule/http/model.ts';
import type { Claim } from '../gateway-rule/http/sharing-reads.ts';
import { insertRules, type PortAt } from '../gateway-rule/many-rows.ts';
import { defaultAlias } from '../port/model.ts';
import { insertPorts } from '../port/rows.ts';

interface ImportWrite extends Write<Context> {
  team: Row<'Team'>;
  region: Row<'Region'>;
}

type Tell = (name: string, what: string) => void;

/** The domains that the team can have; the others are reported. */
async function ownDomains(write: ImportWrite, claims: readonly Claim[], tell: Tell): Promise<Set<string>> {
  const domains = [...new Set(claims.map(({ domain }) => domain))];
  try {
    await claimDomains(write, claims);
    return new Set(domains);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
  const own = new Set<string>();
  for (const domain of domains) {
    try {
      await claimDomains(
        write,
        claims.filter((claim) => claim.domain === domain),
      );
      own.add(domain);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      tell(domain, `the rules of the domain: ${error.message}`);
    }
  }
  return own;
}

/** Creates components that are not deployed, with their parts. Names stay the same as far as they are free. */
export async function insertFound(
  write: ImportWrite,
  application: Row<'Application'>,
  found: readonly FoundComponent[],
): Promise<OmittedPart[]> {
  const { context, team, region } = write;
  const omitted: OmittedPart[] = [];
  const tell: Tell = (name, what) => void omitted.push({ kind: 'Component', name, what });
  const names = await namesInUse(write, write);
  const taken = { aliases: new Set(names.aliases.keys()), ...names.takenBy(null) };
  const now = new Date();
  const free = (of: string, wanted: string, used: TakenNames, what: string, max = 63) => {
    const name = freeName(wanted, used, max);
    if (name !== wanted) tell(of, `the ${what} ${wanted}, which is taken: it is ${name}`);
    return name;
  };
  const rows = await mapInSlices(
    found,
    (component) => {
      const { name, image, command, replicas, cpuMillicores, memoryMiB, extendMethod } = component;
      const alias = freeName(name, taken.aliases, 63);
      if (component.needsRoot && !region.allowsRoot) {
        tell(
          name,
          `root, which the region ${region.name} does not allow: the image must run as another user`,
        );
      }
      const service = component.ports.length > 0 ? (component.serviceName ?? alias) : null;
      const data = {
        ...{ id: newComponentId(), key: newComponentId(), alias, name },
        ...{ applicationId: application.id, teamId: team.id, regionId: region.id },
        creatorId: context.actor.userId,
        clusterName: free(name, name, taken.clusterNames, 'name', uncutLength),
        serviceName: service && free(name, service, taken.serviceNames, 'service name'),
        ...{ deployState: initialDeployState(false), generation: 0, updateVersion: 0 },
        ...{ image, command, replicas, cpuMillicores, memoryMiB, extendMethod },
        placement: placementColumnOf(placementOf(component.placement)),
        ...autoscalingColumnsOf(component.autoscaling),
        needsRoot: component.needsRoot && region.allowsRoot,
        version: imageTag(image) ?? 'latest',
        sourceKind: 'container_run',
        ...{ createdAt: now, updatedAt: now, folded: fold(name, alias) },
      };
      return { component, data };
    },
    context.signal,
  );
  await requireFreeClaims(
    write,
    write,
    rows.map(({ component, data }) => ({ component: data, volumes: component.volumes })),
  );
  const created = await insertComponents(
    write,
    rows.map(({ data }) => data),
  );
  await insertVariables(
    write,
    rows.flatMap(({ component, data }) =>
      component.variables.map(({ name, value, isSecret }) => ({
        ...{ componentId: data.id, name, label: name, value },
        isSecret: isSecret || isSecretName(name),
        ...{ scope: 'environment' as const, isChangeable: true, portNumber: null },
      })),
    ),
  );
  await insertVolumes(
    write,
    rows.flatMap(({ component, data }) =>
      component.volumes.map((volume) => ({ componentId: data.id, ...volume, sharePolicy: null })),
    ),
  );
  await requireConfigurationFits(write, created);
  const ports = await insertPorts(
    write,
    created,
    rows.flatMap(({ component, data }) => {
      const aliases = new Set<string>();
      return component.ports.map(({ number, protocol, isInner, additionalName: wanted }) => ({
        ...{ componentId: data.id, number, protocol, isInner, createdAt: now },
        alias: freePortAlias(defaultAlias(data.alias, number), number, aliases),
        isOuter: component.httpRules.some(({ portNumber }) => portNumber === number),
        additionalName: wanted && free(component.name, wanted, taken.serviceNames, 'service name'),
      }));
    }),
  );
  await insertFoundRules(write, rows, ports, tell);
  return omitted;
}

async function insertFoundRules(
  write: ImportWrite,
  rows: readonly { component: FoundComponent; data: { id: string } }[],
  ports: readonly PortAt[],
  tell: Tell,
): Promise<void> {
  const at = new Map(ports.map((each) => [`${each.component.id} ${each.port.number}`, each]));
  const wanted = rows.flatMap(({ component, data }) =>
    component.httpRules.map(({ domain, ...rule }) => ({
      ...rule,
      domain: domain.toLowerCase(),
      at: at.get(`${data.id} ${rule.portNumber}`)!,
    })),
  );
  const claims = wanted.map(({ domain, at: { component } }) => ({
    domain,
    applicationId: component.applicationId,
    componentId: component.id,
  }));
  const own = await ownDomains(write, claims, tell);
  const http = wanted
    .filter(({ domain }) => own.has(domain))
    .map(({ at: place, domain, path, header, weight }) => ({
      ...ruleOf({ ...write, ...place }),
      ...{ domain, path, header, weight, cookie: '', isDefault: false, isPublished: true },
      ...{ rewrites: '[]', extensions: '[]', configuration: JSON.stringify(configured(null)) },
    }));
  await insertRules(write, http, []);
}
