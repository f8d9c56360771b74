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
import { addCertificate } from '../certificate/model.ts';
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
import { maxVariablesInComponent } from '../component/variables/model.ts';
import { configuration, createHttpRule } from '../gateway-rule/http/model.ts';
import { createTcpRule } from '../gateway-rule/tcp/model.ts';
import { addPort, portProtocol } from '../port/model.ts';

/** The most characters of a document, and the most objects in it. */
export const documentLimits = {
  bytes: 1_048_576,
  values: 100_000,
  aliases: 100,
  components: 500,
  ports: 1_000,
  routes: 5_000,
} as const;

/** A closed set, whose values are written as in GraphQL or in lower case. */
const either = <E extends Record<string, string>>(schema: z.ZodEnum<E>) => {
  const values = schema.options as string[];
  const written = [...values.map((value) => value.toUpperCase()), ...values] as [string, ...string[]];
  return z.enum(written, { error: `Must be one of ${values.map((value) => `\`${value}\``).join(', ')}` });
};

/** A collection by name, of which there are at most so many. */
const named = <K extends z.ZodType<string, string>, V extends z.ZodType>(key: K, value: V, max: number) =>
  z.record(key, value).meta({ maxProperties: max }).nullish();

/** What keeps a value out of the file. */
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

const volumeEntry = z.strictObject({
  path: volume.shape.path.optional(),
  type: volume.shape.type.optional(),
  fileContent: volume.shape.fileContent,
  capacityGiB: volume.shape.capacityGiB,
  accessMode: volume.shape.accessMode,
  sharePolicy: volume.shape.sharePolicy,
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
export type DependencyEntry = z.output<typeof dependency>;

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

const { shape } = createComponent;

const component = z.strictObject({
  image: shape.image.optional().describe('The image reference. Required for a new component.'),
  alias: shape.alias,
  serviceName: dnsLabel()
    .nullish()
    .describe('The internal domain name of all its ports. Defaults to the alias. Requires a port.'),
  clusterName: shape.clusterName,
  version: shape.version,
  description: shape.description,
  category: either(componentCategory).nullish().describe(shape.category.description!),
  command: shape.command,
  replicas: shape.replicas,
  cpuMillicores: shape.cpuMillicores,
  memoryMiB: shape.memoryMiB,
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
  checksPorts: shape.checksPorts,
  preStopSeconds: shape.preStopSeconds,
  terminationGracePeriodSeconds: shape.terminationGracePeriodSeconds,
  variables: named(variableName, variable, maxVariablesInComponent).describe(
    'The environment variables of the component, by name.',
  ),
  connectionVariables: named(variableName, variable, maxVariablesInComponent).describe(
    'The variables for the components that depend on this one, by name.',
  ),
  volumes: named(volume.shape.name, volumeEntry, maxVolumes).describe('The volumes, by name.'),
  ports: named(portNumber, portEntry, documentLimits.ports).describe('The ports, by number.'),
  dependsOn: z
    .array(dependency)
    .max(maxDependencies)
    .nullish()
    .describe(
      'The components that this one depends on: the name of a component of the application, or an object that names another application of the team in the region.',
    ),
});
export type ComponentEntry = z.output<typeof component>;

const { shape: http } = createHttpRule;

const routeTarget = {
  component: name.describe('The name of a component of the application.'),
  port: http.portNumber.describe('The number of one of its ports.'),
};

const httpRoute = z.strictObject({
  ...routeTarget,
  domain: http.domain
    .optional()
    .describe(`${http.domain.description} Defaults to the default domain of the port.`),
  path: http.path,
  certificate: addCertificate.shape.name
    .unwrap()
    .unwrap()
    .nullish()
    .describe(
      'The name of a certificate of the team that covers the domain. With one, the route serves HTTPS.',
    ),
  domainCookie: http.domainCookie,
  domainHeader: http.domainHeader,
  weight: http.weight,
  pathRewrite: http.pathRewrite,
  rewrites: http.rewrites,
  extensions: http.extensions,
  autoSsl: http.autoSsl,
  autoSslConfig: http.autoSslConfig,
  configuration: configuration
    .extend({ setHeaders: configuration.shape.setHeaders.nullish() })
    .nullish()
    .describe('The proxy settings. Those that are absent are not managed.'),
});
export type HttpRouteEntry = z.output<typeof httpRoute>;

const tcpRoute = z.strictObject({
  ...routeTarget,
  endpoint: createTcpRule.shape.endpoint,
  mappedAddress: createTcpRule.shape.mappedAddress,
  extensions: createTcpRule.shape.extensions,
});
export type TcpRouteEntry = z.output<typeof tcpRoute>;

export const isTcpRoute = (route: object): route is TcpRouteEntry => 'endpoint' in route;

const { shape: app } = createApplication;

/** One application of a team in a region. The source of the types, of the validation and of the JSON Schema. */
export const manifestDocument = z
  .strictObject({
    application: app.name.describe('The name of the application, unique in the team and region.'),
    note: app.note,
    principal: app.principal,
    governanceMode: app.governanceMode,
    orderIndex: app.orderIndex,
    isDefault: app.isDefault,
    logo: app.logo,
    components: named(name, component, documentLimits.components).describe('The components, by name.'),
    routes: z
      .array(z.union([httpRoute, tcpRoute]))
      .max(documentLimits.routes)
      .nullish()
      .describe(
        'The gateway rules: HTTP routes by component, port, domain and path, TCP routes by endpoint.',
      ),
  })
  .describe('An application of a team in a region, as a file.');
export type ManifestDocument = z.output<typeof manifestDocument>;
