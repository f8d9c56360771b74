import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change, requireWritable, type Write } from '../../../db/write/change.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { dryRun } from '../../../db/write/plan.ts';
import { requireRevisionOf } from '../../../db/write/revision.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import { parseLarge } from '../../../kernel/large-json.ts';
import { openLarge } from '../../../kernel/seal-large.ts';
import { applicationWithin, loadApplication } from '../../application/reads.ts';
import { setApplication } from '../../application/rows.ts';
import { type ComponentGroupRow, requireComponentGroup } from '../../component/reads.ts';
import { withinQuota } from '../../region/quota-reads.ts';
import { loadRegion, requireEnabled } from '../../region/reads.ts';
import { loadTeam } from '../../team/reads.ts';
import type { BaseTemplate } from '../merge/merge.ts';
import type { RollbackUpgrade } from '../model.ts';
import { installedTemplates } from '../reads.ts';
import type { UpgradeOutcome } from './operations.ts';
import { rollbackPlanOf } from './plan-rows.ts';
import { applyRollback } from './rows.ts';

/** The last upgrade of a group that was not taken back. CONFLICT if there is none, or if its template was not stored. */
async function requireUpgradeToRollBack({ tx }: Pick<Write, 'tx'>, group: Row<'ComponentGroup'>) {
  const where = { groupId: group.id, kind: 'upgrade', rollbackId: null };
  const select = { id: true, fromVersion: true, toVersion: true, sealedFromTemplate: true };
  const upgrade = await tx.upgradeRecord.findFirst({ where, orderBy: { id: 'desc' }, select });
  if (!upgrade) {
    throw new ConflictError(
      `${group.name} has no upgrade to roll back. It is installed in its first version.`,
    );
  }
  if (upgrade.sealedFromTemplate === null) {
    throw new ConflictError(
      `The upgrade of ${group.name} to ${upgrade.toVersion} cannot be rolled back, because it was made before upgrades could be.`,
    );
  }
  return { ...upgrade, sealedFromTemplate: upgrade.sealedFromTemplate };
}

/**
 * Brings back the version of a group before its last upgrade, in one transaction. What users have changed since is kept. A
 * dry run returns the same plan and writes nothing. The application and the group are as before.
 */
export async function rollbackUpgrade(
  context: Context,
  input: RollbackUpgrade,
): Promise<{ application: Row<'Application'>; group: ComponentGroupRow; outcome: UpgradeOutcome }> {
  const found = await requireComponentGroup(context, input.group, 'rollbackUpgrade');
  const application = await loadApplication(context, found.applicationId);
  const [team, region] = await Promise.all([
    loadTeam(context, application.teamId),
    loadRegion(context, application.regionId),
  ]);
  requireEnabled(region);
  if (!input.dryRun) requireWritable(context);
  const installed = (await installedTemplates(context, application.id)).find(({ groupIds }) =>
    groupIds.includes(found.id),
  );
  if (!installed) throw new ConflictError(`${found.name} was not installed from a store.`);
  const perform = async (write: Write<Context>) => {
    const { tx } = write;
    const rows = await tx.component.findMany({ where: { groupId: found.id }, select: { id: true } });
    await lockRows(write, 'Component', ...rows.map(({ id }) => id));
    await lockRows(write, 'Region', region.id);
    await requireRevisionOf(write, 'ComponentGroup', found.id, input, 'component group');
    const before = await applicationWithin(write, application.id);
    const group = await tx.componentGroup.findUniqueOrThrow({ where: { id: found.id } });
    if (group.templateVersion !== found.templateVersion) {
      throw new ConflictError(
        `${group.name} was changed to ${group.templateVersion} in the meantime. Try again.`,
      );
    }
    const upgrade = await requireUpgradeToRollBack(write, group);
    const scene = { ...write, team, region, application: before, group };
    const { fromVersion: version, toVersion } = upgrade;
    const earlier = parseLarge<BaseTemplate>(
      context,
      await openLarge(context.seal, upgrade.sealedFromTemplate),
    );
    await yieldToLoop(context.signal);
    const { changes, job, leftStopped } = await withinQuota(scene, async () => {
      const plan = await rollbackPlanOf(scene, group.id, earlier);
      return { changes: plan.merge.changes, ...(await applyRollback(scene, plan, upgrade)) };
    });
    const isShown =
      installed.store.url === before.storeUrl &&
      group.name === before.templateName &&
      group.templateVersion === before.version;
    const shown = isShown ? { templateName: earlier.groupName, version } : null;
    const versionOf = (of: string) => ({ templates: [{ templateId: installed.templateId, version: of }] });
    await setApplication(write, before, shown ?? {}, {
      before: versionOf(toVersion),
      after: versionOf(version),
    });
    const jobs = job ? [job] : [];
    return { installed, fromVersion: toVersion, toVersion: version, shown, changes, jobs, leftStopped };
  };
  const outcome = input.dryRun
    ? await dryRun(context, perform, { isBounded: true })
    : await change(context, 'application.rollback', perform);
  return {
    application,
    group: found,
    outcome: input.dryRun ? { ...outcome, jobs: [] } : outcome,
  };
}
