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
