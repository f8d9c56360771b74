import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, displayProse, displayText, dnsLabel, line, prose } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';

export const componentRef = reference('component', {
  componentId: identifier('The `uid` of the component.'),
});
export type ComponentRef = z.infer<typeof componentRef>;

/** What a cluster may say of a component; a component that was never deployed is `undeploy`. */
export const componentStatuses = {
  running: 'All its instances run.',
  closed: 'Switched off.',
  starting: 'On its way to running.',
  waiting: 'Waits for what it depends on.',
  stopping: 'On its way to closed.',
  abnormal: 'None of its instances runs well.',
  some_abnormal: 'Some of its instances do not run well.',
  unknown: 'The cluster cannot tell.',
  upgrade: 'Being upgraded.',
  building: 'Being built.',
  build_failure: 'Its build failed.',
  undeploy: 'Never deployed.',
  succeeded: 'It ran to its end.',
  paused: 'Paused.',
} as const;
export type ComponentStatus = keyof typeof componentStatuses;
export const componentStatus = z.enum(
  Object.keys(componentStatuses) as [ComponentStatus, ...ComponentStatus[]],
);

export const extendMethod = z.enum(['stateless', 'state']);
export const componentCategory = z.enum(['application', 'cache', 'store']);
export const variableScope = z.enum(['environment', 'connection']);

/** Requests of a component that says nothing. */
export const componentDefaults = { replicas: 1, cpuMillicores: 500, memoryMiB: 512 } as const;

const variableName = z
  .string()
  .max(255)
  .regex(
    /^[A-Za-z_][-._A-Za-z0-9]*$/,
    'Must be letters, digits, `_`, `-` and `.`, not starting with a digit',
  );

/** Whether the name of a variable says that its value is a secret. */
export const isSecretName = (name: string) => /PASSWORD|SECRET|TOKEN|PRIVATE_KEY|ACCESS_KEY/i.test(name);

export const environmentVariable = z.strictObject({
  name: variableName.describe('Unique name in the component and scope.'),
  value: prose(65_536).describe('The value. Encrypted at rest if the variable is a secret.'),
  isSecret: z
    .boolean()
    .nullish()
    .describe(
      'Whether the value is a secret. By default, true if the name contains PASSWORD, SECRET, TOKEN, PRIVATE_KEY or ACCESS_KEY, in any case.',
    ),
  label: displayText(255).nullish().describe('What people call it; the name by default.'),
  scope: variableScope
    .nullish()
    .describe('ENVIRONMENT for the component itself (the default), CONNECTION for those that depend on it.'),
  isChangeable: z.boolean().nullish().describe('Whether users may change the value; true by default.'),
  portNumber: z
    .int32()
    .min(1)
    .max(65_535)
    .nullish()
    .describe('The port that a connection variable speaks of.'),
});
export type NewVariable = z.infer<typeof environmentVariable>;

export const volume = z.strictObject({
  name: displayName(100).describe('Unique name in the component.'),
  path: line(1024)
    .refine((path) => path.startsWith('/'), 'Must be an absolute path')
    .describe('Where it is mounted; unique in the component.'),
  type: line(64).describe('Kind of volume: `share-file`, `local`, `memoryfs`, `config-file`, …'),
  fileContent: prose(1_048_576).nullish().describe('Content of a `config-file`.'),
  capacityGiB: z.int32().min(0).nullish().describe('Size in GiB; none by default.'),
  accessMode: line(64).nullish().describe('Access mode.'),
  sharePolicy: line(64).nullish().describe('Share policy.'),
});
export type NewVolume = z.infer<typeof volume>;

export const maxVariables = 500;
export const maxVolumes = 100;
export const maxDependencies = 200;

/** Kinds of sources. Components of templates have `market`. */
export const sourceKind = z.enum(['source_code', 'market', 'container_run', 'container_compose']);

/** An address of a code repository: a URL without a password, or the short form `user@host:path`. */
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
      'The kind of the source. SOURCE_CODE by default if there is a `gitUrl`, else CONTAINER_RUN. MARKET is for components of templates, and refused here.',
    ),
  codeFrom: line(64)
    .nullish()
    .describe('The kind of the hosted git service: `github`, `gitlab` and the like.'),
  gitUrl: repositoryUrl.nullish().describe('The code repository.'),
  gitProjectId: z
    .int32()
    .min(0)
    .nullish()
    .describe('The project in the repository host. 0, none, by default.'),
  codeVersion: line(255).nullish().describe('The branch, tag or commit.'),
  language: line(64).nullish().describe('The language of the code.'),
  serverType: line(32).nullish().describe('The type of the repository. `git` by default.'),
  oauthServiceId: z.int32().min(1).nullish().describe('The OAuth service used to pull the source.'),
  containerCommand: prose(65_536).nullish().describe('The command that creates the container.'),
});

export const createComponent = z.strictObject({
  application: applicationRef.describe('The application that it becomes part of.'),
  name: displayName(128).describe('Name shown to people.'),
  alias: dnsLabel()
    .nullish()
    .describe('Unique name in the team and region, a DNS label; `gr` and six hexadecimal digits by default.'),
  image: line(1024).describe('Image reference: `nginx:1.29`.'),
  version: displayName(255).nullish().describe('Version; the tag of the image by default, else `latest`.'),
  description: displayProse(2048).nullish().describe('What it is for.'),
  category: componentCategory.nullish().describe('APPLICATION by default.'),
  command: prose(65_536).nullish().describe('Start arguments.'),
  replicas: z.int32().min(0).max(10_000).nullish().describe('Number of instances; 1 by default.'),
  cpuMillicores: z
    .int32()
    .min(0)
    .max(1_000_000)
    .nullish()
    .describe('Per instance, 1000 = 1 core; 500 by default.'),
  memoryMiB: z.int32().min(0).max(16_777_216).nullish().describe('Per instance, in MiB; 512 by default.'),
  gpuMemoryMiB: z
    .int32()
    .min(0)
    .max(16_777_216)
    .nullish()
    .describe('Memory of graphics processors per instance, in MiB. 0 by default.'),
  extendMethod: extendMethod.nullish().describe('STATELESS by default.'),
  kind: line(64).nullish().describe('What it runs: `web`, `mysql`, `redis`, `mongodb` or the like.'),
  isInner: z.boolean().nullish().describe('Whether it is an inner component. False by default.'),
  opensWebhooks: z.boolean().nullish().describe('Whether a webhook deploys it. False by default.'),
  isUpgradedAfterBuild: z
    .boolean()
    .nullish()
    .describe('Whether it is upgraded after a build. True by default.'),
  source: componentSource.nullish().describe('Where it comes from. The image alone by default.'),
  clusterName: dnsLabel().nullish().describe('Name in the cluster; the alias by default.'),
  isDeployed: z.boolean().nullish().describe('Whether it is deployed at once; false by default.'),
  variables: z.array(environmentVariable).max(maxVariables).nullish().describe('Environment variables.'),
  volumes: z.array(volume).max(maxVolumes).nullish().describe('Volumes.'),
  dependencies: z
    .array(componentRef)
    .max(maxDependencies)
    .nullish()
    .describe('Components of the same team and region that it depends on.'),
});
export type CreateComponent = z.infer<typeof createComponent>;

export const componentOrders = {
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;

/** The tag of an image reference; a digest is none, nor is the port of a registry. */
export function imageTag(image: string): string | undefined {
  return /:([\w][\w.-]{0,127})$/.exec(image.split('@')[0]!.split('/').at(-1)!)?.[1];
}
