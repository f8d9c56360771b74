import type { z } from 'zod';
import type { FoundComponent, FoundNamespace, OmittedPart } from '../../drivers/region/namespace.ts';
import { dnsLabel } from '../../kernel/validate.ts';
import {
  createComponent,
  environmentVariable,
  maxVariables,
  maxVolumes,
  volume as volumeSchema,
} from '../component/model.ts';
import { createHttpRule } from '../gateway-rule/http/model.ts';

const { image, command, replicas, cpuMillicores, memoryMiB } = createComponent.shape;
const { domain, path, domainHeader, weight } = createHttpRule.shape;

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
  tellPart: (part: OmittedPart) => void,
): FoundComponent | undefined {
  const tell = (what: string) => tellPart({ kind: 'Component', name: component.name, what });
  const isWhole =
    fits(dnsLabel(), component.name) &&
    fits(image, component.image) &&
    fits(replicas, component.replicas) &&
    fits(cpuMillicores, component.cpuMillicores) &&
    fits(memoryMiB, component.memoryMiB);
  if (!isWhole) {
    tell('the workload, because its name, image, replicas or requests exceed what a component can have');
    return undefined;
  }
  const isCommand = fits(command, component.command);
  if (!isCommand) tell('the arguments');
  const isService = component.serviceName === null || fits(dnsLabel(), component.serviceName);
  if (!isService) tell(`the service name ${component.serviceName}`);
  return {
    ...component,
    command: isCommand ? component.command : null,
    serviceName: isService ? component.serviceName : null,
    variables: taken(component.variables, {
      keysOf: ({ name }) => [name],
      isFit: ({ name, value }) => fits(environmentVariable, { name, value }),
      limit: maxVariables,
      omit: ({ name }) => tell(`the variable ${name}`),
    }),
    volumes: taken(component.volumes, {
      keysOf: (volume) => [`name ${volume.name}`, `path ${volume.path}`],
      isFit: (volume) => fits(volumeSchema, volume),
      limit: maxVolumes,
      omit: (volume) => tell(`the volume ${volume.name} at ${volume.path}`),
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

/** The part of a namespace that fits into an application. */
export function usableParts({ components, omitted }: FoundNamespace): FoundNamespace {
  const all = [...omitted];
  const tell = (part: OmittedPart) => {
    all.push(part);
  };
  return { components: components.flatMap((component) => usable(component, tell) ?? []), omitted: all };
}
