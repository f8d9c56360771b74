import { z } from 'zod';
import {
  httpCheck,
  probe,
  probes,
  requireOneCheck,
  withProbeRules,
} from '../../drivers/region/probe-model.ts';
import { dnsLabel } from '../../kernel/validate.ts';
import { createApplication } from '../application/model.ts';
import { autoscalingFields, requireBounds } from '../component/autoscaling/model.ts';
import {
  componentCategory,
  componentSource,
  createComponent,
  environmentVariable,
  extendMethod,
  maxDependencies,
  maxVolumes,
  sourceKind,
  variableName,
  volume,
} from '../component/model.ts';
import {
  maxPlacementEntries,
  placementFields,
  placementSpread,
  requireDistinctLabels,
  requireTaint,
  toleration,
  tolerationEffect,
  tolerationOperator,
} from '../component/placement/model.ts';
import { setSnapshotSchedule } from '../component/snapshots/schedule/model.ts';
import { maxVariablesInComponent } from '../component/variables/model.ts';
import { addPort, portProtocol } from '../port/model.ts';
import { concurrency, createSchedule, maxSchedules, scheduleName } from '../run/schedules/model.ts';
import { documentLimits } from './model.ts';

/** A closed set, whose values are written as in GraphQL or in lower case. */
export const either = <E extends Record<string, string>>(schema: z.ZodEnum<E>) => {
  const values = schema.options as string[];
  const written = [...values.map((value) => value.toUpperCase()), ...values] as [string, ...string[]];
  return z.enum(written, { error: `Must be one of ${values.map((value) => `\`${value}\``).join(', ')}` });
};

/** A collection by name, of which there are at most so many. */
export const named = <K extends z.ZodType<string, string>, V extends z.ZodType>(
  key: K,
  value: V,
  max: number,
) => z.record(key, value).meta({ maxProperties: max }).nullish();

/** The mark of a value that stays out of the file. */
export const secret = z
  .literal('preserve', {
    error:
      'Must be `preserve`. The command line replaces `env` and `file` with their values before it sends the document',
  })
  .describe('Keeps the stored value. Fails where there is none.');

const text = environmentVariable.shape.value;

const variableFields = z
  .strictObject({
    value: text.optional(),
    secret: secret.optional(),
    isSecret: environmentVariable.shape.isSecret,
    label: environmentVariable.shape.label,
    isChangeable: environmentVariable.shape.isChangeable,
    portNumber: environmentVariable.shape.portNumber,
  })
  .refine(
    ({ value, secret: kept }) => value === undefined || kept === undefined,
    'Must not have both `value` and `secret`',
  );

/** A variable: its value, or an object with its fields. Null removes it. */
const variable = z
  .union([text, variableFields])
  .nullable()
  .describe('The value, or an object with the fields of the variable. Null removes it.');
export type VariableEntry = z.output<typeof variable>;

const { cron, timeZone, keep } = setSnapshotSchedule.shape;
const snapshotScheduleEntry = z.strictObject({ cron, timeZone, keep });

const volumeEntry = z.strictObject({
  path: volume.shape.path.optional(),
  type: volume.shape.type.optional(),
  fileContent: volume.shape.fileContent,
  capacityGiB: volume.shape.capacityGiB,
  accessMode: volume.shape.accessMode,
  sharePolicy: volume.shape.sharePolicy,
  isShared: volume.shape.isShared,
  snapshotSchedule: snapshotScheduleEntry
    .nullish()
    .describe(
      'The snapshot schedule of the volume. Replaces the whole schedule and takes effect immediately. Null removes it.',
    ),
});
export type VolumeEntry = z.output<typeof volumeEntry>;

const portEntry = z.strictObject({
  protocol: either(portProtocol).optional().describe('The protocol. Required for a new port.'),
  alias: addPort.shape.alias,
  isInner: addPort.shape.isInner,
  isOuter: z.boolean().nullish().describe('Whether the port is open to the outside. Defaults to false.'),
  serviceName: dnsLabel()
    .nullish()
    .describe('The internal domain name of this port, if it is not that of its component.'),
});
export type PortEntry = z.output<typeof portEntry>;

const portNumber = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, 'Must be a port number, from 1 to 65535')
  .refine((number) => Number(number) <= 65_535, 'Must be a port number, from 1 to 65535');

const name = createComponent.shape.name;

const dependency = z.union([
  name,
  z.strictObject({
    application: createApplication.shape.name.describe('An application of the team in the region.'),
    component: name.describe('The name of a component of that application.'),
  }),
]);

const { shape: sourceShape } = componentSource;
const sourceEntry = componentSource.extend({
  kind: either(sourceKind).nullish().describe(sourceShape.kind.description!),
});

// The scheme of a probe is a closed set, too.
const probeEntry = z
  .strictObject({
    ...probe.shape,
    http: httpCheck
      .extend({
        scheme: either(z.enum(['http', 'https']))
          .nullish()
          .describe(httpCheck.shape.scheme.description!),
      })
      .nullish()
      .describe(probe.shape.http.description!),
  })
  .superRefine(requireOneCheck)
  .nullish();

const probesEntry = withProbeRules(
  z.strictObject({
    startup: probeEntry.describe(probes.shape.startup.description!),
    readiness: probeEntry.describe(probes.shape.readiness.description!),
    liveness: probeEntry.describe(probes.shape.liveness.description!),
  }) as never as typeof probes,
);

const autoscalingEntry = z.strictObject(autoscalingFields).superRefine(requireBounds);

const { shape: taintShape } = toleration;
const tolerationEntry = z
  .strictObject({
    ...taintShape,
    operator: either(tolerationOperator).nullish().describe(taintShape.operator.description!),
    effect: either(tolerationEffect).nullish().describe(taintShape.effect.description!),
  })
  .superRefine(requireTaint);

const placementEntry = z
  .strictObject({
    ...placementFields,
    tolerations: z
      .array(tolerationEntry)
      .max(maxPlacementEntries)
      .nullish()
      .describe(placementFields.tolerations.description!),
    spread: either(placementSpread).nullish().describe(placementFields.spread.description!),
  })
  .superRefine(requireDistinctLabels);

const { shape: scheduleShape } = createSchedule;
const scheduleEntry = z.strictObject({
  cron: scheduleShape.cron.optional(),
  timeZone: scheduleShape.timeZone,
  command: scheduleShape.command.optional(),
  concurrency: either(concurrency).nullish().describe(scheduleShape.concurrency.description!),
  timeoutSeconds: scheduleShape.timeoutSeconds,
  isPaused: z.boolean().nullish().describe('Whether no runs are started. Defaults to false.'),
});
export type ScheduleEntry = z.output<typeof scheduleEntry>;

const { shape } = createComponent;

/** Null restores the default, as for other fields, so that no limit needs a word. */
const limitEntry = (limit: typeof shape.cpuLimitMillicores, what: string) =>
  z
    .union([limit.unwrap().unwrap(), z.literal('none')], {
      error: 'Must be a whole number of at least 1, or `none`',
    })
    .nullish()
    .describe(`The ${what}, to which it defaults. \`none\` removes the limit.`);

const componentFields = z.strictObject({
  image: shape.image.optional().describe('The image reference. Required for a new component.'),
  alias: shape.alias,
  serviceName: dnsLabel()
    .nullish()
    .describe('The internal domain name of all its ports. Defaults to the alias. Requires a port.'),
  clusterName: shape.clusterName,
  version: shape.version,
  description: shape.description,
  category: either(componentCategory).nullish().describe(shape.category.description!),
  entrypoint: shape.entrypoint,
  command: shape.command,
  replicas: shape.replicas,
  autoscaling: autoscalingEntry
    .nullish()
    .describe(
      'The autoscaling, which sets the number of instances: the component must not have `replicas` as well. Null removes it.',
    ),
  cpuMillicores: shape.cpuMillicores,
  memoryMiB: shape.memoryMiB,
  cpuLimitMillicores: limitEntry(
    shape.cpuLimitMillicores,
    'CPU that an instance can use, in millicores: at least `cpuMillicores`',
  ),
  memoryLimitMiB: limitEntry(
    shape.memoryLimitMiB,
    'memory that an instance can use, in MiB: at least `memoryMiB`',
  ),
  gpuMemoryMiB: shape.gpuMemoryMiB,
  extendMethod: either(extendMethod).nullish().describe(shape.extendMethod.description!),
  kind: shape.kind,
  isInner: shape.isInner,
  opensWebhooks: shape.opensWebhooks,
  isUpgradedAfterBuild: shape.isUpgradedAfterBuild,
  source: sourceEntry
    .nullish()
    .describe('The source of the component. Fields that are absent are not managed.'),
  probes: probesEntry
    .nullish()
    .describe('The probes. Those that are absent are not managed. Null means none.'),
  placement: placementEntry
    .nullish()
    .describe(
      'The placement, as a whole: fields that are absent have their defaults. Null restores all defaults.',
    ),
  checksPorts: shape.checksPorts,
  preStopSeconds: shape.preStopSeconds,
  terminationGracePeriodSeconds: shape.terminationGracePeriodSeconds,
  deployDeadlineSeconds: shape.deployDeadlineSeconds,
  preDeployCommand: shape.preDeployCommand,
  preDeployTimeoutSeconds: shape.preDeployTimeoutSeconds,
  needsRoot: shape.needsRoot,
  variables: named(variableName, variable, maxVariablesInComponent).describe(
    'The environment variables of the component, by name.',
  ),
  connectionVariables: named(variableName, variable, maxVariablesInComponent).describe(
    'The variables for the components that depend on this one, by name.',
  ),
  volumes: named(volume.shape.name, volumeEntry, maxVolumes).describe('The volumes, by name.'),
  ports: named(portNumber, portEntry, documentLimits.ports).describe('The ports, by number.'),
  schedules: named(scheduleName, scheduleEntry, maxSchedules).describe(
    'The schedules that run commands, by name. They take effect immediately.',
  ),
  dependsOn: z
    .array(dependency)
    .max(maxDependencies)
    .nullish()
    .describe(
      'The components that this one depends on: the name of a component of the application, or an object that names another application of the team in the region.',
    ),
});

export const component = componentFields.superRefine(({ autoscaling, replicas }, issues) => {
  if (autoscaling == null || replicas == null) return;
  issues.addIssue({
    code: 'custom',
    path: ['replicas'],
    message: 'Must not be set with `autoscaling`, which sets the number of instances',
  });
});
export type ComponentEntry = z.output<typeof component>;
