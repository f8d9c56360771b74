import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { probesOf } from '../../drivers/region/probe-model.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/new-id.ts';
import { fold, invalid } from '../../kernel/validate.ts';
import { namespaceIdOf } from '../application/model.ts';
import { applicationWithin, requireApplicationFor } from '../application/reads.ts';
import { withinQuota } from '../region/quota-reads.ts';
import { preDeployColumns } from './command-model.ts';
import { beforeImages } from './deploy/prepared-reads.ts';
import { recordJob } from './deploy/rows.ts';
import { healthDefaults, probeColumnsOf, requireGracePeriod } from './health/model.ts';
import { givenLimits, limitsWith, requireLimits } from './limits-model.ts';
import { type CreateComponent, componentDefaults, imageTag, isSecretName } from './model.ts';
import { repeatedVolume } from './names/model.ts';
import {
  lockNames,
  namesInUse,
  newAlias,
  requireFreeClaims,
  requireFreeClusterName,
  withAliases,
} from './names/reads.ts';
import { requireComponent } from './reads.ts';
import { rootProblem } from './root-model.ts';
import { insertComponent, lockComponents } from './rows.ts';
import { initialDeployState } from './state-model.ts';
import { sharingProblem } from './volumes/model.ts';

export const newComponentId = newId;

/** The index of the first duplicate, or -1. */
function repeated(keys: string[]): number {
  return keys.findIndex((key, index) => keys.indexOf(key) !== index);
}

function requireDistinct(input: CreateComponent): void {
  const variables = repeated(
    (input.variables ?? []).map(({ name, scope }) => `${scope ?? 'environment'} ${name}`),
  );
  if (variables >= 0) throw invalid(['input', 'variables', variables, 'name'], 'Duplicate name');
  const names = repeated((input.volumes ?? []).map(({ name }) => name));
  if (names >= 0) throw invalid(['input', 'volumes', names, 'name'], 'Duplicate name');
  const paths = repeated((input.volumes ?? []).map(({ path }) => path));
  if (paths >= 0) throw invalid(['input', 'volumes', paths, 'path'], 'Duplicate path');
  const same = repeatedVolume(input.volumes ?? []);
  if (same)
    throw invalid(
      ['input', 'volumes', same.index, 'name'],
      `Must not have the same name in the cluster as ${same.other}`,
    );
}

function sourceColumns(source: CreateComponent['source']) {
  return {
    sourceKind: source?.kind ?? (source?.gitUrl ? 'source_code' : 'container_run'),
    codeFrom: source?.codeFrom ?? null,
    gitUrl: source?.gitUrl ?? null,
    gitProjectId: source?.gitProjectId ?? 0,
    codeVersion: source?.codeVersion ?? null,
    language: source?.language ?? null,
    serverType: source?.serverType ?? 'git',
    oauthServiceId: source?.oauthServiceId ?? null,
    containerCommand: source?.containerCommand ?? null,
  };
}

export async function createComponent(
  context: Context,
  input: CreateComponent,
): Promise<{ component: Row<'Component'>; job: Row<'Job'> | null }> {
  const { application, team, region } = await requireApplicationFor(
    context,
    input.application,
    'createComponent',
  );
  requireDistinct(input);
  if (input.source?.kind === 'market') {
    throw invalid(['input', 'source', 'kind'], 'MARKET is reserved for components of templates');
  }
  const dependencies = await Promise.all(
    (input.dependencies ?? []).map((ref) => requireComponent(context, ref)),
  );
  if (
    dependencies.some(({ component }) => component.teamId !== team.id || component.regionId !== region.id)
  ) {
    throw new NotFoundError('component');
  }
  const health = {
    ...probeColumnsOf(probesOf(input.probes)),
    checksPorts: input.checksPorts ?? healthDefaults.checksPorts,
    preStopSeconds: input.preStopSeconds ?? healthDefaults.preStopSeconds,
    terminationGracePeriodSeconds:
      input.terminationGracePeriodSeconds ?? healthDefaults.terminationGracePeriodSeconds,
    deployDeadlineSeconds: input.deployDeadlineSeconds ?? healthDefaults.deployDeadlineSeconds,
  };
  requireGracePeriod(health, input);
  const requests = {
    cpuMillicores: input.cpuMillicores ?? componentDefaults.cpuMillicores,
    memoryMiB: input.memoryMiB ?? componentDefaults.memoryMiB,
  };
  const sizes = { ...requests, ...limitsWith({ ...requests, ...givenLimits(input) }) };
  requireLimits(sizes, input);
  const unshared = (input.volumes ?? []).findIndex((each) => sharingProblem(each, region));
  if (unshared >= 0) {
    const message = sharingProblem(input.volumes![unshared]!, region)!;
    throw invalid(['input', 'volumes', unshared, 'isShared'], message);
  }
  const problem = rootProblem(input.needsRoot, region);
  if (problem) throw invalid(['input', 'needsRoot'], problem);
  const isDeployed = input.deploy ?? false;
  const alias = input.alias ?? newAlias();
  const id = newComponentId();
  return change(
    context,
    'component.create',
    async (write) => {
      const dependencyIds = [...new Set(dependencies.map((each) => each.component.id))];
      // Before anything else, as for every lock on components. None of them can be deleted before the commit.
      await lockComponents(write, dependencyIds);
      const clusterName = input.clusterName ?? alias;
      await lockNames(write, { team, region });
      const namespaceId = namespaceIdOf(await applicationWithin(write, application.id));
      // The database refuses an alias that is taken.
      if ((await withAliases(write, { team, region }, [alias])).length === 0) {
        requireFreeClusterName(await namesInUse(write, { team, region, namespaceId }), clusterName);
      }
      const now = new Date();
      const data = {
        id,
        applicationId: application.id,
        teamId: team.id,
        regionId: region.id,
        namespaceId,
        creatorId: context.actor.userId,
        key: newComponentId(),
        alias,
        name: input.name,
        clusterName,
        deployState: initialDeployState(isDeployed),
        generation: isDeployed ? 1 : 0,
        updateVersion: isDeployed ? 1 : 0,
        description: input.description ?? null,
        category: input.category ?? 'application',
        version: input.version ?? imageTag(input.image) ?? 'latest',
        image: input.image,
        entrypoint: input.entrypoint ?? null,
        command: input.command ?? null,
        replicas: input.replicas ?? componentDefaults.replicas,
        ...sizes,
        extendMethod: input.extendMethod ?? 'stateless',
        gpuMemoryMiB: input.gpuMemoryMiB ?? 0,
        componentType: input.kind ?? null,
        isInner: input.isInner ?? false,
        openWebhooks: input.opensWebhooks ?? false,
        buildUpgrade: input.isUpgradedAfterBuild ?? true,
        ...health,
        ...preDeployColumns(input),
        needsRoot: input.needsRoot ?? componentDefaults.needsRoot,
        ...sourceColumns(input.source),
        createdAt: now,
        updatedAt: now,
        folded: fold(input.name, alias),
      };
      await requireFreeClaims(write, { team, region }, [
        {
          component: { id, namespaceId, clusterName, extendMethod: data.extendMethod },
          volumes: input.volumes ?? [],
        },
      ]);
      const create = () =>
        insertComponent(write, data, {
          variables: (input.variables ?? []).map((variable) => ({
            componentId: id,
            name: variable.name,
            label: variable.label ?? variable.name,
            value: variable.value,
            isSecret: variable.isSecret ?? isSecretName(variable.name),
            scope: variable.scope ?? 'environment',
            isChangeable: variable.isChangeable ?? true,
            portNumber: variable.portNumber ?? null,
          })),
          volumes: (input.volumes ?? []).map((each) => ({
            componentId: id,
            name: each.name,
            path: each.path,
            type: each.type,
            fileContent: each.fileContent ?? '',
            capacityGiB: each.capacityGiB ?? null,
            accessMode: each.accessMode ?? null,
            sharePolicy: each.sharePolicy ?? null,
            isShared: each.isShared ?? false,
          })),
          dependencies: dependencyIds.map((dependencyId) => ({ componentId: id, dependencyId })),
        });
      if (!isDeployed) return { component: await create(), job: null };
      const component = await withinQuota({ ...write, team, region }, create);
      const scene = { kind: 'deploy', team, region, applicationId: application.id } as const;
      return { component, job: await recordJob(write, scene, [{ component, action: 'deploy' }]) };
    },
    () =>
      `The team ${team.name} already has a component with the alias ${alias} in the region ${region.name}.`,
    beforeImages(context, { team, region }, isDeployed ? [input.image] : []),
  );
}
