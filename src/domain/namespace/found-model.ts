import { z } from 'zod';
import type { FoundComponent, FoundNamespace, OmittedPart } from '../../convert/kubernetes/model.ts';
import { probes } from '../../drivers/region/probe-model.ts';
import { dnsLabel } from '../../kernel/validate.ts';
import {
  autoscalingColumnsOf,
  autoscalingFields,
  autoscalingProblem,
  requireBounds,
  withinBounds,
} from '../component/autoscaling/model.ts';
import {
  createComponent,
  environmentVariable,
  maxVariables,
  maxVolumes,
  volume as volumeSchema,
} from '../component/model.ts';
import { maxPlacementEntries, nodeLabel, toleration } from '../component/placement/model.ts';
import { isForOneInstance, sharingProblem } from '../component/volumes/model.ts';
import { createHttpRule } from '../gateway-rule/http/model.ts';
import { createSchedule } from '../run/schedules/model.ts';

const { image, entrypoint, command, replicas, cpuMillicores, memoryMiB, cpuLimitMillicores, memoryLimitMiB } =
  createComponent.shape;
const { domain, path, domainHeader, weight } = createHttpRule.shape;

const scheduleSchema = createSchedule.omit({ component: true }).extend({ isPaused: z.boolean() });

const autoscalingInput = z.strictObject(autoscalingFields).superRefine(requireBounds);

const fits = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** At most `limit` items with distinct keys; the rest is reported in `omitted`. */
function taken<T>(
  items: readonly T[],
  {
    keysOf,
    isFit,
    limit,
    omit,
  }: {
    keysOf(item: T): string[];
    isFit(item: T): boolean;
    limit: number;
    omit(item: T): void;
  },
): T[] {
  const keys = new Set<string>();
  const kept: T[] = [];
  for (const item of items) {
    const own = keysOf(item);
    if (kept.length >= limit || own.some((key) => keys.has(key)) || !isFit(item)) omit(item);
    else {
      for (const key of own) keys.add(key);
      kept.push(item);
    }
  }
  return kept;
}

/** The most rules of a component. */
const maxRules = 100;

function usable(
  component: FoundComponent,
  region: Parameters<typeof sharingProblem>[1],
  tellPart: (part: OmittedPart) => void,
): FoundComponent | undefined {
  const tell = (what: string) => tellPart({ kind: 'Component', name: component.name, what });
  const isWhole =
    fits(dnsLabel(), component.name) &&
    fits(image, component.image) &&
    fits(replicas, component.replicas) &&
    fits(cpuMillicores, component.cpuMillicores) &&
    fits(memoryMiB, component.memoryMiB) &&
    fits(cpuLimitMillicores, component.cpuLimitMillicores) &&
    fits(memoryLimitMiB, component.memoryLimitMiB);
  if (!isWhole) {
    tell('the workload, because its name, image, replicas or requests exceed what a component can have');
    return undefined;
  }
  const isEntrypoint = fits(entrypoint, component.entrypoint);
  if (!isEntrypoint) tell('the entrypoint');
  const isCommand = fits(command, component.command);
  if (!isCommand) tell('the arguments');
  const isService = component.serviceName === null || fits(dnsLabel(), component.serviceName);
  if (!isService) tell(`the service name ${component.serviceName}`);
  const volumes = taken(component.volumes, {
    keysOf: (volume) => [`name ${volume.name}`, `path ${volume.path}`],
    isFit: (volume) => fits(volumeSchema, volume),
    limit: maxVolumes,
    omit: (volume) => tell(`the volume ${volume.name} at ${volume.path}`),
  }).map((volume) => {
    const problem = sharingProblem(volume, region);
    if (problem) tell(`that others have the data of the volume. ${problem}`);
    return problem ? { ...volume, isShared: false } : volume;
  });
  const autoscaling = usableAutoscaling({ ...component, volumes }, tell);
  return {
    ...component,
    autoscaling,
    replicas: autoscaling ? withinBounds(component.replicas, autoscaling) : component.replicas,
    placement: usablePlacement(component.placement, tell),
    probes: usableProbes(component.probes, tell),
    entrypoint: isEntrypoint ? component.entrypoint : null,
    command: isCommand ? component.command : null,
    serviceName: isService ? component.serviceName : null,
    variables: taken(component.variables, {
      keysOf: ({ name }) => [name],
      isFit: ({ name, value }) => fits(environmentVariable, { name, value }),
      limit: maxVariables,
      omit: ({ name }) => tell(`the variable ${name}`),
    }),
    volumes,
    schedules: component.schedules.filter((schedule) => {
      const isFit = fits(scheduleSchema, schedule);
      if (!isFit) tell(`the schedule, which runs at ${schedule.cron}`);
      return isFit;
    }),
    ports: taken(component.ports, {
      keysOf: ({ number }) => [String(number)],
      isFit: ({ additionalName }) => additionalName === null || fits(dnsLabel(), additionalName),
      limit: 1_000,
      omit: ({ number }) => tell(`the port ${number}`),
    }),
    httpRules: taken(component.httpRules, {
      keysOf: (rule) => [JSON.stringify([rule.domain.toLowerCase(), rule.path, rule.portNumber])],
      isFit: (rule) =>
        fits(domain, rule.domain) &&
        fits(path, rule.path) &&
        fits(domainHeader, rule.header) &&
        fits(weight, rule.weight),
      limit: maxRules,
      omit: (rule) => tell(`the rule for ${rule.domain}${rule.path}`),
    }),
  };
}

/** The probes that a component can have. */
function usableProbes(
  found: FoundComponent['probes'],
  tell: (what: string) => void,
): FoundComponent['probes'] {
  const entries = Object.entries(found).filter(([kind, probe]) => {
    const isFit = fits(probes, { [kind]: probe });
    if (!isFit) tell(`the ${kind} probe`);
    return isFit;
  });
  return Object.fromEntries(entries);
}

/** The labels and tolerations that a placement can have. */
const usablePlacement = (
  { nodeLabels, tolerations, ...more }: FoundComponent['placement'],
  tell: (what: string) => void,
): FoundComponent['placement'] => ({
  nodeLabels: taken(nodeLabels, {
    keysOf: ({ key }) => [key],
    isFit: (label) => fits(nodeLabel, label),
    limit: maxPlacementEntries,
    omit: ({ key }) => tell(`the node label ${key}`),
  }),
  tolerations: taken(tolerations, {
    keysOf: (each) => [JSON.stringify(each)],
    isFit: (each) => fits(toleration, each),
    limit: maxPlacementEntries,
    omit: ({ key }) => tell(`the toleration of ${key ?? 'all taints'}`),
  }),
  ...more,
});

/** The autoscaling that a component with these volumes can have. */
function usableAutoscaling(
  { autoscaling, ...component }: Omit<FoundComponent, 'placement'>,
  tell: (what: string) => void,
): FoundComponent['autoscaling'] {
  if (!autoscaling) return null;
  const omit = (why: string) => {
    tell(`the autoscaling, because ${why}`);
    return null;
  };
  if (!fits(autoscalingInput, autoscaling))
    return omit('its bounds or percentages exceed what a component can have');
  const single = component.volumes.find(isForOneInstance);
  if (single) return omit(`its instances cannot share the volume ${single.name}`);
  const problem = autoscalingProblem({ ...component, ...autoscalingColumnsOf(autoscaling) });
  return problem === undefined ? autoscaling : omit(problem);
}

/** The part of a namespace that fits into an application. */
export function usableParts(
  { components, omitted }: FoundNamespace,
  region: Parameters<typeof sharingProblem>[1],
): FoundNamespace {
  const all = [...omitted];
  const tell = (part: OmittedPart) => {
    all.push(part);
  };
  return {
    components: components.flatMap((component) => usable(component, region, tell) ?? []),
    omitted: all,
  };
}
