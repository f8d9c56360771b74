import { z } from 'zod';
import { isImage, notAnImage } from '../../drivers/registry/image.ts';
import { identifier, integerId, reference } from '../../kernel/reference.ts';
import {
  boundedString,
  displayName,
  displayProse,
  displayText,
  dnsLabel,
  line,
  onlyStored,
  prose,
} from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { deployedState } from '../region/model.ts';
import { preDeployFields } from './command-model.ts';
import { healthFields } from './health/model.ts';
import { needsRootField } from './root-model.ts';

export const componentRef = reference('component', {
  componentId: identifier('The `uid` of the component.'),
});
export type ComponentRef = z.infer<typeof componentRef>;

export const componentGroupRef = reference('component group', {
  groupId: integerId('The `uid` of the group.'),
});
export type ComponentGroupRef = z.infer<typeof componentGroupRef>;

/** The runtime statuses of a component. A component that was never deployed is `undeploy`. */
export const componentStatuses = {
  running: 'All instances are running.',
  closed: 'Stopped by a user.',
  starting: 'Starting.',
  waiting: 'Waiting for its dependencies.',
  stopping: 'Stopping.',
  abnormal: 'No instance is healthy.',
  some_abnormal: 'Some instances are not healthy.',
  unknown: 'The status cannot be determined.',
  upgrade: 'Being upgraded.',
  building: 'Being built.',
  build_failure: 'The build failed.',
  undeploy: 'Never deployed.',
  succeeded: 'Ran to completion.',
  paused: 'Paused.',
} as const;
export type ComponentStatus = keyof typeof componentStatuses;
const statusNames = Object.keys(componentStatuses) as [ComponentStatus, ...ComponentStatus[]];
export const componentStatus = z.enum(statusNames);

/** The names of the statuses in GraphQL. REST has the contract's words. */
export const stateNames: Record<ComponentStatus, string> = {
  running: 'RUNNING',
  closed: 'STOPPED',
  starting: 'STARTING',
  waiting: 'WAITING',
  stopping: 'STOPPING',
  abnormal: 'UNHEALTHY',
  some_abnormal: 'PARTLY_UNHEALTHY',
  unknown: 'UNKNOWN',
  upgrade: 'UPGRADING',
  building: 'BUILDING',
  build_failure: 'BUILD_FAILED',
  undeploy: 'NOT_DEPLOYED',
  succeeded: 'SUCCEEDED',
  paused: 'PAUSED',
};

/** The statuses of components that are not healthy: none of their instances is, or some are not. */
export const unhealthyStatuses: { readonly [status in ComponentStatus]?: 'all' | 'some' } = {
  abnormal: 'all',
  build_failure: 'all',
  some_abnormal: 'some',
};

/**
 * How far the status of a component is from its desired state while no work on it is in progress: what is to run does not, or what
 * was to be stopped still runs.
 */
export function unhealthyBy(
  status: ComponentStatus,
  component: { deployState: string },
): 'all' | 'some' | undefined {
  if (isDeployed(component) && (status === 'undeploy' || status === 'closed')) return 'all';
  if (isClosed(component) && status === 'running') return 'some';
  return unhealthyStatuses[status];
}

/**
 * The desired state of a component, and what each action makes of it. An action that a state does not list is a
 * conflict. `drop` is what an upgrade does to a component that the new version of its template no longer has.
 */
export const deployStates = {
  undeploy: { deploy: deployedState, scale: 'undeploy', drop: 'closed' },
  [deployedState]: {
    deploy: deployedState,
    restart: deployedState,
    stop: 'closed',
    scale: deployedState,
    drop: 'closed',
  },
  closed: { deploy: deployedState, start: deployedState, scale: 'closed' },
} as const satisfies { [state: string]: { [action in DeployAction]?: string } };
export type DeployState = keyof typeof deployStates;
export type DeployAction = 'deploy' | 'start' | 'stop' | 'restart' | 'scale' | 'drop';

/** The state after an action; undefined where the state does not allow it. */
export const nextDeployState = (state: string, action: DeployAction): DeployState | undefined =>
  (deployStates[state as DeployState] as { [action in DeployAction]?: DeployState })[action];

/** A state in a message: `The component web is stopped.` */
export const stateText = ({ deployState }: { deployState: string }): string =>
  ({ undeploy: 'was never deployed', running: 'is running', closed: 'is stopped' })[
    deployState as DeployState
  ];
/** The state of a component that is created, and of one that an upgrade brings back. */
export const initialDeployState = (isDeployed: boolean): DeployState =>
  isDeployed ? deployStates.undeploy.deploy : 'undeploy';

export const isClosed = ({ deployState }: { deployState: string }) => deployState === 'closed';
export const isDeployed = ({ deployState }: { deployState: string }) => deployState === deployedState;

/** Whether a component was deployed before, so that changes of it take effect with its next deploy. */
export const wasDeployed = ({ deployState }: { deployState: string }) => deployState !== 'undeploy';

/** The cluster can still have objects of a component that was deployed before, whatever its current state. */
export const isInCluster = (component: { deployState: string; generation: number }) =>
  wasDeployed(component) || component.generation > 0;

export const extendMethod = z.enum(['stateless', 'state']);
export const componentCategory = z.enum(['application', 'cache', 'store']);
export const variableScope = z.enum(['environment', 'connection']);

/** Default resource requests of a component, and whether it needs root. */
export const componentDefaults = {
  replicas: 1,
  cpuMillicores: 500,
  memoryMiB: 512,
  needsRoot: false,
} as const;

export const variableName = boundedString(255).regex(
  /^[A-Za-z_][-._A-Za-z0-9]*$/,
  'Must contain only letters, digits, `_`, `-` and `.`, and not start with a digit',
);

/** Whether a variable with this name is a secret by default. */
export const isSecretName = (name: string) => /PASSWORD|SECRET|TOKEN|PRIVATE_KEY|ACCESS_KEY/i.test(name);

export const environmentVariable = z.strictObject({
  name: variableName.describe('The unique name in the component and scope.'),
  value: prose(65_536).describe('The value. Encrypted at rest if the variable is a secret.'),
  isSecret: z
    .boolean()
    .nullish()
    .describe(
      'Whether the value is a secret. By default, true if the name contains PASSWORD, SECRET, TOKEN, PRIVATE_KEY or ACCESS_KEY, in any case.',
    ),
  label: displayText(255).nullish().describe('The display name. Defaults to `name`.'),
  scope: variableScope
    .nullish()
    .describe('The components that receive the variable. Defaults to ENVIRONMENT.'),
  isChangeable: z.boolean().nullish().describe('Whether users can change the value. Defaults to true.'),
  portNumber: z
    .int32()
    .min(1)
    .max(65_535)
    .nullish()
    .describe('The number of the port that a connection variable describes.'),
});

export const volume = z.strictObject({
  name: displayName(100).describe('The unique name in the component.'),
  path: line(1024)
    .refine((path) => path.startsWith('/'), 'Must be an absolute path')
    .describe('The absolute mount path, unique in the component.'),
  type: line(64).describe(
    'The type of the volume: `share-file`, `local`, `memoryfs`, `config-file` or another type of the cluster.',
  ),
  fileContent: prose(1_048_576).nullish().describe('The content of a `config-file` volume.'),
  capacityGiB: z.int32().min(0).nullish().describe('The size, in GiB. Defaults to none.'),
  accessMode: line(64).nullish().describe('The access mode.'),
  sharePolicy: line(64).nullish().describe(`The share policy. ${onlyStored}`),
  isShared: z
    .boolean()
    .nullish()
    .describe(
      'Whether the volume is shared: all components of the application with a shared volume of this name use the same data, with any number of instances. The access mode is then ReadWriteMany, and the region must have a storage class for it. Defaults to false.',
    ),
});

export const maxVariables = 500;
export const maxVolumes = 100;
export const maxDependencies = 200;

/** Kinds of component sources. `market` is for components of templates. */
export const sourceKind = z.enum(['source_code', 'market', 'container_run', 'container_compose']);

/** A code repository URL without a password, or the short form `user@host:path`. */
const repositoryUrl = line(1024).refine((text) => {
  if (/^[\w.-]+@[\w.-]+:[^\s:]+$/.test(text)) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, password } = new URL(text);
  return ['http:', 'https:', 'ssh:', 'git:', 'svn:'].includes(protocol) && password === '';
}, 'Must be an http, https, ssh, git or svn URL without a password, or user@host:path');

export const componentSource = z.strictObject({
  kind: sourceKind
    .nullish()
    .describe(
      'The kind of the source. Defaults to SOURCE_CODE if `gitUrl` is set, otherwise to CONTAINER_RUN. MARKET is reserved for components of templates.',
    ),
  codeFrom: line(64)
    .nullish()
    .describe(`The git hosting service, for example \`github\` or \`gitlab\`. ${onlyStored}`),
  gitUrl: repositoryUrl.nullish().describe(`The URL of the code repository. ${onlyStored}`),
  gitProjectId: z
    .int32()
    .min(0)
    .nullish()
    .describe(
      `The id of the project at the git hosting service. Defaults to 0, which means none. ${onlyStored}`,
    ),
  codeVersion: line(255).nullish().describe(`The branch, tag or commit. ${onlyStored}`),
  language: line(64).nullish().describe(`The programming language. ${onlyStored}`),
  serverType: line(32).nullish().describe(`The type of the repository. Defaults to \`git\`. ${onlyStored}`),
  oauthServiceId: z
    .int32()
    .min(1)
    .nullish()
    .describe(`The OAuth service used to pull the source. ${onlyStored}`),
  containerCommand: prose(65_536).nullish().describe(`The command that creates the container. ${onlyStored}`),
});

export const createComponent = z.strictObject({
  application: applicationRef.describe('The application to add the component to.'),
  name: displayName(128).describe('The display name.'),
  alias: dnsLabel()
    .nullish()
    .describe(
      'The unique name in the team and region, a DNS label. Defaults to `gr` and six hexadecimal digits.',
    ),
  image: line(1024)
    .refine(isImage, notAnImage)
    .describe('The image reference, for example `nginx:1.29`. Its name must be in lower case.'),
  version: displayName(255)
    .nullish()
    .describe('The version. Defaults to the tag of the image, or `latest` if it has none.'),
  description: displayProse(2048).nullish().describe('A description of the component.'),
  category: componentCategory.nullish().describe(`The category. Defaults to APPLICATION. ${onlyStored}`),
  entrypoint: prose(65_536)
    .nullish()
    .describe(
      'The program to start instead of the entrypoint of the image, with its first arguments. Separated and quoted as in a shell. The arguments of the image are then not used. Defaults to the entrypoint of the image.',
    ),
  command: prose(65_536)
    .nullish()
    .describe('The start arguments, which replace those of the image. Separated and quoted as in a shell.'),
  replicas: z.int32().min(0).max(10_000).nullish().describe('The number of instances. Defaults to 1.'),
  cpuMillicores: z
    .int32()
    .min(0)
    .max(1_000_000)
    .nullish()
    .describe('The CPU request per instance, in millicores (1000 = 1 core). Defaults to 500.'),
  memoryMiB: z
    .int32()
    .min(0)
    .max(16_777_216)
    .nullish()
    .describe('The memory request per instance, in MiB. Defaults to 512.'),
  cpuLimitMillicores: z
    .int32()
    .min(1)
    .max(1_000_000)
    .nullish()
    .describe(
      'The CPU that an instance can use, in millicores: at least `cpuMillicores`, to which it defaults. Null removes the limit.',
    ),
  memoryLimitMiB: z
    .int32()
    .min(1)
    .max(16_777_216)
    .nullish()
    .describe(
      'The memory that an instance can use, in MiB: at least `memoryMiB`, to which it defaults. Null removes the limit.',
    ),
  gpuMemoryMiB: z
    .int32()
    .min(0)
    .max(16_777_216)
    .nullish()
    .describe(`The GPU memory per instance, in MiB. Defaults to 0. ${onlyStored}`),
  extendMethod: extendMethod
    .nullish()
    .describe('The way in which instances are deployed. Defaults to STATELESS.'),
  kind: line(64)
    .nullish()
    .describe('The kind of workload, for example `web`, `mysql`, `redis` or `mongodb`.'),
  isInner: z
    .boolean()
    .nullish()
    .describe(`Whether this is an internal component. Defaults to false. ${onlyStored}`),
  opensWebhooks: z
    .boolean()
    .nullish()
    .describe('Whether deploy hooks can deploy the component. Defaults to false.'),
  isUpgradedAfterBuild: z
    .boolean()
    .nullish()
    .describe(`Whether the component is upgraded after a build. Defaults to true. ${onlyStored}`),
  source: componentSource.nullish().describe('The source of the component. Defaults to the image alone.'),
  clusterName: dnsLabel()
    .nullish()
    .describe(
      'The name in the cluster, unique in the team and region. The names of its objects in the cluster must differ from those of other components. Defaults to the alias.',
    ),
  ...healthFields,
  ...preDeployFields,
  needsRoot: needsRootField,
  deploy: z.boolean().nullish().describe('Whether to deploy the component immediately. Defaults to false.'),
  variables: z.array(environmentVariable).max(maxVariables).nullish().describe('The environment variables.'),
  volumes: z.array(volume).max(maxVolumes).nullish().describe('The volumes.'),
  dependencies: z
    .array(componentRef)
    .max(maxDependencies)
    .nullish()
    .describe(
      'The components that the new component depends on. They must belong to the same team and region.',
    ),
});
export type CreateComponent = z.infer<typeof createComponent>;

export const componentOrders = {
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;

/** The tag of an image reference. Digests and registry ports are not tags. */
export function imageTag(image: string): string | undefined {
  return /:([\w][\w.-]{0,127})$/.exec(image.split('@')[0]!.split('/').at(-1)!)?.[1];
}

/** For the descriptions of mutations whose changes reach a cluster with a deploy. */
export const nextDeploy = 'A deployed component gets the change with its next deploy.';
