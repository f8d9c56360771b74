import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import { lockRows } from '../../db/write/locks.ts';
import { uncutLength } from '../../drivers/region/object-names.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import { fold } from '../../kernel/validate.ts';
import { describing, newNamespace } from '../application/model.ts';
import { applicationWithin } from '../application/reads.ts';
import { autoscalingColumnsOf } from '../component/autoscaling/model.ts';
import { imageTag } from '../component/model.ts';
import { freeName, type NamesInUse, type TakenNames } from '../component/names/model.ts';
import { freeAliases, lockNames, namesInUse } from '../component/names/reads.ts';
import { newComponentId } from '../component/operations.ts';
import { isClosed, isDeployed } from '../component/state-model.ts';
import { completePlan } from '../plan/apply-rows.ts';
import { type Standing, type StandingComponent, seesOutside, standingOf } from '../plan/standing-reads.ts';
import { type ComponentWork, workOn } from '../plan/work.ts';
import { addressesOf } from './addresses-reads.ts';
import { type Given, givenIn } from './given-reads.ts';
import { groupsOf, leaveUnready } from './groups-reads.ts';
import type { Omission } from './model.ts';
import { routesOf } from './routes-reads.ts';
import type { Copied, CopyOptions, CopyPlan, CopyReading, Original, Tell } from './scene-reads.ts';
import { requireSmallCopy } from './size-reads.ts';
import { variablesOf } from './variables-reads.ts';
import { volumesOf } from './volumes-reads.ts';

/**
 * Plans a copy of an application with everything in it that belongs to no other. The original is locked with the components that it
 * depends on, then the names of the copy. The number of statements does not depend on the number of components.
 */
export async function planCopy(
  reading: CopyReading,
  original: Original,
  options: CopyOptions,
): Promise<CopyPlan> {
  const { team, region } = reading;
  const standing = await lockedStanding(reading, original.application.id, options);
  const omitted: Omission[] = [];
  const omit: Tell = (omission) => void omitted.push(omission);
  const names = await namesInUse(reading, { team, region, namespaceId: newNamespace });
  const { leftOut = new Set() } = options;
  for (const { row } of standing.components) {
    if (leftOut.has(row.name))
      omit({ kind: 'component', component: row.name, name: row.name, reason: 'It is left out.' });
  }
  const components = standing.components.filter(({ row }) => !leftOut.has(row.name));
  const given = givenIn({ ...standing, components }, options);
  const copied = await copiedFrom(reading, components, { names, given, options, omit });
  const addresses = addressesOf(reading, original, copied);
  await variablesOf(reading, copied, given, addresses, options, omit);
  volumesOf(copied, region, addresses, options, omit);
  dependenciesOf(reading, original, standing, copied, options, omit);
  const routes = await routesOf(reading, copied, addresses, omit);
  const works = copied.map(({ work }) => work);
  await omitOthers(reading, standing, copied, omit);
  const groups = await groupsOf(reading, original, omit);
  await leaveUnready(reading, copied, omitted, omit);
  await completePlan(reading, { components: works, routes });
  return {
    application: columnsOf(standing.application, reading, options),
    ...{ works, routes, groups, options, omitted },
    leftStopped: options.deploy
      ? copied
          .filter(({ current, work }) => work.isLeftAlone && current.row.deployState !== 'undeploy')
          .map(({ work }) => work.name)
          .sort()
      : [],
  };
}

/** The original as it stands. None of its components, or of those that they depend on, can be deleted before the commit. */
async function lockedStanding(
  reading: CopyReading,
  applicationId: number,
  options: CopyOptions,
): Promise<Standing> {
  const rows = await findByKeys(reading, 'Component', 'applicationId', [applicationId], ['id'], {
    fields: ['id', 'name'],
  });
  await requireSmallCopy(reading, rows, options);
  const ids = rows.map(({ id }) => id);
  const needed = await findByKeys(
    reading,
    'ComponentDependency',
    'componentId',
    ids,
    ['componentId', 'dependencyId'],
    { fields: ['componentId', 'dependencyId'] },
  );
  const all = new Set([...ids, ...needed.map(({ dependencyId }) => dependencyId)]);
  await lockRows(reading, 'Component', ...all);
  await lockNames(reading, reading);
  const application = await applicationWithin(reading, applicationId);
  return (await standingOf(reading, [application], async (every) => every)).get(applicationId)!;
}

function columnsOf(
  application: Row<'Application'>,
  { team, region }: CopyReading,
  { name }: CopyOptions,
): CopyPlan['application'] {
  const { appType, storeName, storeUrl, templateName, version } = application;
  return {
    ...Object.fromEntries(describing.map((column) => [column, application[column]])),
    ...{ name, teamId: team.id, regionId: region.id, isolation: 'own', isDefault: false },
    orderIndex: application.orderIndex,
    ...{ appType, storeName, storeUrl, templateName, version, copyOfId: application.id },
  };
}

interface RowScene {
  names: NamesInUse<unknown>;
  given: Given;
  options: CopyOptions;
  omit: Tell;
}

/** The new components with their ports. What is stored of a component stays, unless it says which one it is. */
async function copiedFrom(
  reading: CopyReading,
  components: readonly StandingComponent[],
  { names, given, options, omit }: RowScene,
): Promise<Copied[]> {
  const { context, team, region } = reading;
  const nextAlias = await freeAliases(reading, reading, components.length);
  const { clusterNames } = names.takenBy(null);
  const now = Date.now();
  // Of those with one name, the same one comes first.
  const times = new Map(
    components.map(({ row }, index) => [row.id, new Date(now - components.length + index)]),
  );
  const rowOf = ({ row }: StandingComponent): Row<'Component'> => {
    const createdAt = times.get(row.id)!;
    const alias = nextAlias();
    if (row.needsRoot && !region.allowsRoot) {
      const reason = `The region ${region.name} does not allow root: the image must run as another user.`;
      omit({ kind: 'root', component: row.name, name: row.name, reason });
    }
    return {
      ...row,
      ...(options.isSingle && { replicas: 1, ...autoscalingColumnsOf(null) }),
      ...imageColumns(row, given.images.get(row.id)),
      id: context.newComponentId?.(alias) ?? newComponentId(),
      // Those of a template have its keys.
      key: row.groupId === null ? newComponentId() : row.key,
      ...{ alias, folded: fold(row.name, alias) },
      clusterName: clusterNameOf(row, clusterNames, omit),
      ...{ teamId: team.id, regionId: region.id, namespaceId: newNamespace },
      creatorId: context.actor.userId,
      deployState: isClosed(row) ? row.deployState : 'undeploy',
      hasUndeployedChanges: false,
      needsRoot: row.needsRoot && region.allowsRoot,
      ...{ checkUuid: null, checkEventId: null },
      ...{ createdAt, updatedAt: createdAt, revision: 1 },
    };
  };
  return mapInSlices(
    components,
    (current) => {
      const work: ComponentWork = {
        ...workOn(rowOf(current), null),
        isLeftAlone: !isDeployed(current.row),
      };
      for (const { number, protocol, alias, isInner, isOuter, additionalName } of current.ports) {
        const port = { number, protocol, alias, isInner, isOuter, additionalName };
        work.ports.create.push(port);
        work.portsAfter.set(number, { ...port, row: null });
      }
      return { current, work };
    },
    context.signal,
  );
}

/** The version is that of the image, unless it is another one. */
function imageColumns(row: Row<'Component'>, image: string | undefined) {
  if (image === undefined) return {};
  const followsImage = row.version === (imageTag(row.image) ?? 'latest');
  return { image, ...(followsImage && { version: imageTag(image) ?? 'latest' }) };
}

/** Components of a database from before names were unique can have the same one. */
function clusterNameOf({ name, clusterName }: Row<'Component'>, taken: TakenNames, omit: Tell): string {
  const free = freeName(clusterName, taken, uncutLength);
  if (free !== clusterName) {
    const reason = 'Another component has the same name in the cluster: the copy gets another one.';
    omit({ kind: 'component', component: name, name: clusterName, reason });
  }
  return free;
}

/** Dependencies within the copy, and on other applications where it can have them. */
function dependenciesOf(
  { context, team, region }: CopyReading,
  original: Original,
  standing: Standing,
  copied: readonly Copied[],
  { dependsOnOriginal }: CopyOptions,
  omit: Tell,
): void {
  const isSamePlace = team.id === original.team.id && region.id === original.region.id;
  const newIds = new Map(copied.map(({ current, work }) => [current.row.id, work.row.id]));
  const leftOut = new Map(standing.components.map(({ row }) => [row.id, row.name]));
  for (const { current, work } of copied) {
    for (const { dependencyId } of current.dependencies) {
      const within = newIds.get(dependencyId);
      const outside = standing.outside.get(dependencyId);
      const isVisible = outside !== undefined && seesOutside(context, standing, outside);
      const isKept = isSamePlace && (dependsOnOriginal ?? (outside !== undefined && isVisible));
      const id = within ?? (isKept ? dependencyId : undefined);
      if (id !== undefined) {
        work.dependencies.add.push({ componentId: work.row.id, dependencyId: id });
        continue;
      }
      omit({
        kind: 'dependency',
        component: work.name,
        name: outside
          ? isVisible
            ? `${outside.application}/${outside.component}`
            : 'another component'
          : leftOut.get(dependencyId)!,
        reason: !outside
          ? 'The component is left out.'
          : isVisible
            ? isSamePlace
              ? 'The copy has no dependencies on other applications.'
              : 'It is in another team or region.'
            : 'The component is not visible to you.',
      });
    }
  }
}

/** Lists what belongs to the original alone. */
async function omitOthers(
  reading: CopyReading,
  { application, manifest }: Standing,
  copied: readonly Copied[],
  omit: Tell,
): Promise<void> {
  if (application.isDefault) {
    const reason = 'Only one application is the default of a team in a region.';
    omit({ kind: 'application', component: null, name: 'isDefault', reason });
  }
  if (application.previews !== null) {
    const reason = 'The copy allows no previews.';
    omit({ kind: 'application', component: null, name: 'previews', reason });
  }
  if (manifest) {
    const reason = 'The manifest describes the original.';
    omit({ kind: 'manifest', component: null, name: application.name, reason });
  }
  const ids = copied.map(({ current }) => current.row.id);
  const hooks = await findByKeys(reading, 'DeployHook', 'componentId', ids, ['componentId', 'name', 'id'], {
    fields: ['componentId', 'name'],
  });
  const names = new Map(copied.map(({ current, work }) => [current.row.id, work.name]));
  for (const { componentId, name } of hooks) {
    const reason = 'Its URL deploys the original.';
    omit({ kind: 'deploy_hook', component: names.get(componentId)!, name, reason });
  }
  for (const { current, work } of copied) {
    for (const { name } of current.schedules) {
      omit({ kind: 'schedule', component: work.name, name, reason: 'It runs in the original.' });
    }
  }
}
