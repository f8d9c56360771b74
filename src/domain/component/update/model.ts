import { z } from 'zod';
import { onlyStored, plannedChange } from '../../../kernel/validate.ts';
import { commandText } from '../command-model.ts';
import { componentRef, componentSource, createComponent } from '../model.ts';

const { name, image, ...fields } = createComponent.omit({
  application: true,
  // Both are part of addresses that others use.
  alias: true,
  clusterName: true,
  deploy: true,
  // These have mutations of their own.
  variables: true,
  volumes: true,
  dependencies: true,
  probes: true,
}).shape;

const sourceFields = componentSource.shape;

export const componentSourceChanges = z.strictObject({
  ...sourceFields,
  kind: sourceFields.kind.describe(
    'The kind of the source. Components of templates, and only those, have the kind MARKET.',
  ),
  codeFrom: sourceFields.codeFrom.describe(`The git hosting service. Null removes it. ${onlyStored}`),
  gitUrl: sourceFields.gitUrl.describe(`The URL of the code repository. Null removes it. ${onlyStored}`),
  gitProjectId: sourceFields.gitProjectId.describe(
    `The id of the project at the git hosting service. 0 means none. ${onlyStored}`,
  ),
  codeVersion: sourceFields.codeVersion.describe(`The branch, tag or commit. Null removes it. ${onlyStored}`),
  language: sourceFields.language.describe(`The programming language. Null removes it. ${onlyStored}`),
  serverType: sourceFields.serverType.describe(`The type of the repository. ${onlyStored}`),
  oauthServiceId: sourceFields.oauthServiceId.describe(
    `The OAuth service used to pull the source. Null removes it. ${onlyStored}`,
  ),
  containerCommand: sourceFields.containerCommand.describe(
    `The command that creates the container. Null removes it. ${onlyStored}`,
  ),
});

export const updateComponent = z.strictObject({
  component: componentRef.describe('The component to change. Omitted fields are unchanged.'),
  name: name.nullish().describe('The display name.'),
  image: image.nullish().describe('The image reference.'),
  version: fields.version.describe(
    'The version. If only `image` is set, the tag of the new image, or `latest` if it has none.',
  ),
  description: fields.description.describe('A description of the component. Null removes it.'),
  category: fields.category.describe(`The category. ${onlyStored}`),
  entrypoint: fields.entrypoint.describe(
    'The program to start instead of the entrypoint of the image, with its first arguments. Null removes it.',
  ),
  command: fields.command.describe('The start arguments. Null removes them.'),
  replicas: fields.replicas.describe('The number of instances.'),
  cpuMillicores: fields.cpuMillicores.describe(
    'The CPU request per instance, in millicores (1000 = 1 core).',
  ),
  memoryMiB: fields.memoryMiB.describe('The memory request per instance, in MiB.'),
  cpuLimitMillicores: fields.cpuLimitMillicores.describe(
    'The CPU that an instance can use, in millicores: at least `cpuMillicores`. If both are equal, they change together. Null removes the limit.',
  ),
  memoryLimitMiB: fields.memoryLimitMiB.describe(
    'The memory that an instance can use, in MiB: at least `memoryMiB`. If both are equal, they change together. Null removes the limit.',
  ),
  gpuMemoryMiB: fields.gpuMemoryMiB.describe(`The GPU memory per instance, in MiB. ${onlyStored}`),
  extendMethod: fields.extendMethod.describe(
    'The way in which instances are deployed. It can only change before the first deploy.',
  ),
  kind: fields.kind.describe('The kind of workload. Null removes it.'),
  isInner: fields.isInner.describe(`Whether this is an internal component. ${onlyStored}`),
  opensWebhooks: fields.opensWebhooks.describe('Whether deploy hooks can deploy the component.'),
  isUpgradedAfterBuild: fields.isUpgradedAfterBuild.describe(
    `Whether the component is upgraded after a build. ${onlyStored}`,
  ),
  checksPorts: fields.checksPorts.describe(
    'Whether ports that are open inside the cluster or have a gateway rule are checked by TCP if the component has no readiness probe.',
  ),
  preStopSeconds: fields.preStopSeconds.describe(
    'The pause before an instance gets its termination signal, in seconds. Until then, it still answers requests. 0 means none.',
  ),
  terminationGracePeriodSeconds: fields.terminationGracePeriodSeconds.describe(
    'The time from the start of that pause until an instance is killed, in seconds. Must be longer than the pause.',
  ),
  deployDeadlineSeconds: fields.deployDeadlineSeconds.describe(
    'The time limit for a job to bring the component to its desired state, in seconds. The setting `JOB_DEADLINE_MS` can set a shorter limit.',
  ),
  preDeployCommand: fields.preDeployCommand.describe(
    `The command that runs once before each deploy, as a list of words. Null removes it. ${commandText}`,
  ),
  preDeployTimeoutSeconds: fields.preDeployTimeoutSeconds.describe(
    'The time limit of the pre-deploy command, in seconds. A command that exceeds it fails.',
  ),
  needsRoot: fields.needsRoot.describe(
    'Whether the processes of the image need to run as root. The region must allow root.',
  ),
  source: componentSourceChanges.nullish().describe('The fields of the source to change.'),
  deploy: z.boolean().nullish().describe('Whether to also deploy the component. Defaults to false.'),
  ...plannedChange('the component'),
});
export type UpdateComponent = z.infer<typeof updateComponent>;
