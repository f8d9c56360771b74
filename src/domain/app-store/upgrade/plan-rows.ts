import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Reading } from '../../../db/write/reading.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import { parseLarge } from '../../../kernel/large-json.ts';
import { openLarge } from '../../../kernel/seal-large.ts';
import { compareVersions } from '../../../kernel/version.ts';
import { applicationWithin } from '../../application/reads.ts';
import type { StartStopped } from '../../component/deploy/scope-model.ts';
import { plainVariablesOf, standingOf } from '../../plan/standing-reads.ts';
import type { PlanReads } from '../merge/added.ts';
import { type BaseTemplate, type Installed, presentIn } from '../merge/input.ts';
import { planTemplate, type TemplatePlan } from '../merge/plan.ts';

export interface UpgradePlan {
  group: Row<'ComponentGroup'>;
  /** The installed template. */
  base: BaseTemplate;
  /** Null if the group already has the version. */
  merge: TemplatePlan | null;
}

export interface RollbackPlan extends UpgradePlan {
  merge: TemplatePlan;
  /** The template that is brought back. */
  next: AppTemplate;
}

/** A group with its installed template. */
export async function installedTemplateOf(write: Reading<Context>, groupId: number) {
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
  const installed = await installedIn(write, group);
  return { group, base, merge: await planTemplate(write, group, base, next, installed, options) };
}

/** Whether others may get other names when the plan is carried out: their components want what it takes or gives up. */
const takesNames = ({ merge }: UpgradePlan): boolean =>
  (merge?.works ?? []).some(
    ({ current, row, serviceNameAfter, ports }) =>
      !current ||
      serviceNameAfter !== row.serviceName ||
      Object.values(ports).some((list) => list.length > 0),
  );

/**
 * Returns the plan of the group that is carried out next. Those that were made before the transaction of a dry run are used until
 * one is carried out that takes names. The others are made when their turn comes.
 */
export function plansInOrder(
  made: Iterable<readonly [groupId: number, plan: UpgradePlan]>,
  options: StartStopped,
) {
  const earlier = new Map(made);
  return async (write: PlanReads, groupId: number, next: AppTemplate, version: string) => {
    const plan = earlier.get(groupId) ?? (await planOf(write, groupId, next, version, options));
    if (takesNames(plan)) earlier.clear();
    return plan;
  };
}
export type NextPlan = ReturnType<typeof plansInOrder>;

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
  const installed = await installedIn(write, group);
  return { group, base, next, merge: await planTemplate(write, group, base, next, installed, options) };
}

async function installedIn(
  reads: PlanReads,
  { id: groupId, applicationId }: Row<'ComponentGroup'>,
): Promise<Installed> {
  const rows = await findByKeys(reads, 'Component', 'groupId', [groupId], ['name', 'id']);
  const application = await applicationWithin(reads, applicationId);
  const standing = await standingOf(reads, [application], async (ids) => ids, rows);
  const { components } = standing.get(applicationId)!;
  return { components, plainVariables: await plainVariablesOf(reads.context, components) };
}
