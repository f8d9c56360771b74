import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { inSlices, yieldToLoop } from '../../../kernel/event-loop.ts';
import { parseLarge } from '../../../kernel/large-json.ts';
import { openLarge } from '../../../kernel/seal-large.ts';
import { compareVersions } from '../../../kernel/version.ts';
import { applicationWithin } from '../../application/reads.ts';
import type { StartStopped } from '../../component/deploy/scope-model.ts';
import { namesInUse } from '../../component/names/reads.ts';
import { plainVariablesOf, standingOf } from '../../plan/standing-reads.ts';
import { deployedState } from '../../region/model.ts';
import { serviceNamesOf } from '../inner-name-reads.ts';
import type { NewComponents, PlanReads } from '../install/work-reads.ts';
import type { Installed } from '../merge/input.ts';
import {
  type BaseTemplate,
  type GroupMerge,
  type MergeOptions,
  mergeTemplate,
  presentIn,
} from '../merge/merge.ts';

export interface UpgradePlan {
  group: Row<'ComponentGroup'>;
  /** The installed template. */
  base: BaseTemplate;
  /** Null if the group already has the version. */
  merge: GroupMerge | null;
}

export interface RollbackPlan extends UpgradePlan {
  merge: GroupMerge;
  /** The template that is brought back. */
  next: AppTemplate;
}

async function installedTemplateOf(write: PlanReads, groupId: number) {
  const { context } = write;
  const [group] = await findByKeys(write, 'ComponentGroup', 'id', [groupId], ['id']);
  if (!group) throw new NotFoundError('installed template');
  const base = parseLarge<BaseTemplate>(context, await openLarge(context.seal, group.sealedTemplate!));
  await yieldToLoop(context.signal);
  return { group, base };
}

/** Plans the upgrade of a group to a version. */
export async function planOf(
  write: PlanReads,
  groupId: number,
  next: AppTemplate,
  version: string,
  options: StartStopped,
): Promise<UpgradePlan> {
  const { group, base } = await installedTemplateOf(write, groupId);
  // Another group of the same template may already have the version.
  if (compareVersions(group.templateVersion ?? '', version) >= 0) return { group, base, merge: null };
  return { group, base, merge: await merged(write, group, base, next, options) };
}

/** Whether others may get other names when the plan is carried out: their components want what it takes or gives up. */
const takesNames = ({ merge }: UpgradePlan): boolean =>
  merge !== null &&
  (merge.add.length > 0 ||
    merge.merges.some(
      ({ serviceName, ports }) =>
        serviceName !== null || Object.values(ports).some((list) => list.length > 0),
    ));

/**
 * The plans of groups in the order in which they are carried out. Those that were made before the transaction of a dry run are
 * used until one is carried out that takes names. The others are made when their turn comes.
 */
export class UpgradePlans {
  #made: ReadonlyMap<number, UpgradePlan>;
  readonly #options: StartStopped;

  constructor(made: Iterable<readonly [groupId: number, plan: UpgradePlan]>, options: StartStopped) {
    this.#made = new Map(made);
    this.#options = options;
  }

  /** The plan of a group, which is carried out next. */
  async of(write: PlanReads, groupId: number, next: AppTemplate, version: string): Promise<UpgradePlan> {
    const plan = this.#made.get(groupId) ?? (await planOf(write, groupId, next, version, this.#options));
    if (takesNames(plan)) this.#made = new Map();
    return plan;
  }
}

/** Plans the way back to the template that was installed before an upgrade. */
export async function rollbackPlanOf(
  write: PlanReads,
  groupId: number,
  earlier: BaseTemplate,
  { startStopped }: StartStopped,
): Promise<RollbackPlan> {
  const { group, base } = await installedTemplateOf(write, groupId);
  const next = { ...earlier, components: presentIn(earlier) };
  const options = { keepsColumns: true, earlierNames: earlier.serviceNames, startStopped };
  return { group, base, next, merge: await merged(write, group, base, next, options) };
}

/** A template in a region: no version of it needs root where that is not allowed. */
const withinRegion = <T extends AppTemplate>(template: T, { allowsRoot }: Row<'Region'>): T =>
  allowsRoot
    ? template
    : { ...template, components: template.components.map((each) => ({ ...each, needsRoot: false })) };

async function merged(
  write: PlanReads,
  group: Row<'ComponentGroup'>,
  base: BaseTemplate,
  next: AppTemplate,
  options: Omit<MergeOptions, 'taken'>,
): Promise<GroupMerge> {
  const { context, region } = write;
  const names = await namesInUse(write, write, (row) => row.groupId !== group.id);
  const { serviceNames: taken } = names.takenBy(null);
  const installed = await installedIn(write, group);
  const [from, to] = [withinRegion(base, region), withinRegion(next, region)];
  return inSlices(mergeTemplate(from, to, installed, { ...options, taken }), context.signal);
}

async function installedIn(
  reads: PlanReads,
  { id: groupId, applicationId }: Row<'ComponentGroup'>,
): Promise<Installed[]> {
  const rows = await findByKeys(reads, 'Component', 'groupId', [groupId], ['name', 'id']);
  const application = await applicationWithin(reads, applicationId);
  const standing = await standingOf(reads, [application], async (ids) => ids, rows);
  const { components } = standing.get(applicationId)!;
  const variables = await plainVariablesOf(reads.context, components);
  const keys = new Map(rows.map(({ id, key }) => [id, key]));
  return components.map((each) => ({
    ...each,
    standing: each,
    variables: variables.get(each.row.id) ?? [],
    dependencies: each.dependencies.flatMap(({ dependencyId }) => keys.get(dependencyId) ?? []),
    portsWithCustomRules: new Set(
      [...each.http, ...each.tcp].flatMap(({ isDefault, portId }) => (isDefault ? [] : portId)),
    ),
  }));
}

/**
 * The base of the next upgrade. It keeps removed components, because they can be added again; their ports
 * that were closed are opened again in that case.
 */
export function nextBase(
  base: BaseTemplate,
  merge: GroupMerge,
  next: AppTemplate,
  added: NewComponents,
): BaseTemplate {
  const keys = new Set(next.components.map(({ key }) => key));
  const closed = new Map(merge.close.map((each) => [each.row.key, each]));
  const dropped = base.components.filter(({ key }) => !keys.has(key));
  const stateOf = (key: string) => {
    const found = closed.get(key)?.row.deployState;
    // Of a template that an earlier version of Trellis stored, it is not known why a component is closed.
    return found ?? base.dropped?.[key] ?? (base.dropped ? 'closed' : deployedState);
  };
  const isClosed = (key: string, number: number) =>
    closed.get(key)?.ports.some((port) => port.number === number && port.isOuter) ?? false;
  return {
    ...next,
    components: [
      ...next.components,
      ...dropped.map((each) => ({
        ...each,
        ports: each.ports.map((port) =>
          isClosed(each.key, port.number) ? { ...port, isOuter: false } : port,
        ),
      })),
    ],
    dropped: Object.fromEntries(dropped.map(({ key }) => [key, stateOf(key)])),
    serviceNames: {
      ...base.serviceNames,
      ...serviceNamesOf(added.works.map(({ row }) => row)),
      ...Object.fromEntries(
        merge.merges.flatMap(({ row, serviceName }) =>
          serviceName === null ? [] : [[row.key, serviceName]],
        ),
      ),
    },
    additionalNames: {
      ...base.additionalNames,
      ...added.additionalNames,
      ...Object.fromEntries(merge.merges.map(({ row, additionalNames }) => [row.key, additionalNames])),
    },
  };
}
