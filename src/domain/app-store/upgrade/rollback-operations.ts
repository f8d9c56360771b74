import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { type Bulk, findByKeys } from '../../../db/write/bulk.ts';
import { requireWritable, type Write } from '../../../db/write/change.ts';
import type { Reading } from '../../../db/write/reading.ts';
import { requireRevisionOf } from '../../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import { parseLarge } from '../../../kernel/large-json.ts';
import { openLarge } from '../../../kernel/seal-large.ts';
import { namespaceIdOf } from '../../application/model.ts';
import { loadApplication } from '../../application/reads.ts';
import { type ComponentGroupRow, requireComponentGroup } from '../../component/reads.ts';
import { makePlanned } from '../../plan/planned-operations.ts';
import { withinQuota } from '../../region/quota-reads.ts';
import { loadRegion, requireEnabled } from '../../region/reads.ts';
import { loadTeam } from '../../team/reads.ts';
import type { BaseTemplate } from '../merge/input.ts';
import type { RollbackUpgrade } from '../model.ts';
import { installedTemplates } from '../reads.ts';
import { rollbackPlanOf } from './plan-rows.ts';
import { applyVersion, isShownBy, lockGroups, setVersions, type UpgradeOutcome } from './rows.ts';

/** The last upgrade of a group that was not taken back. CONFLICT if there is none, or if its template was not stored. */
async function requireUpgradeToRollBack(write: Bulk, group: Row<'ComponentGroup'>) {
  const records = await findByKeys(write, 'UpgradeRecord', 'groupId', [group.id], ['id'], {
    fields: ['id', 'kind', 'rollbackId'],
  });
  const last = records.findLast(({ kind, rollbackId }) => kind === 'upgrade' && rollbackId === null);
  if (!last) {
    throw new ConflictError(`${group.name} has no upgrade to roll back. The first version is installed.`);
  }
  const [upgrade] = await findByKeys(write, 'UpgradeRecord', 'id', [last.id], ['id'], {
    fields: ['id', 'fromVersion', 'toVersion', 'sealedFromTemplate'],
  });
  const { sealedFromTemplate, ...versions } = upgrade!;
  if (sealedFromTemplate === null) {
    throw new ConflictError(
      `The upgrade of ${group.name} to ${versions.toVersion} cannot be rolled back, because an earlier version of Trellis without rollbacks made the upgrade.`,
    );
  }
  return { ...versions, sealedFromTemplate };
}

/**
 * Brings back the version of a group before its last upgrade, in one transaction. What users have changed since is kept. A
 * dry run returns the same plan and writes nothing. The application and the group are as before.
 */
export async function rollbackUpgrade(
  context: Context,
  input: RollbackUpgrade,
): Promise<{ application: Row<'Application'>; group: ComponentGroupRow; outcome: UpgradeOutcome }> {
  const shownGroup = await requireComponentGroup(context, input.group, 'rollbackUpgrade');
  const application = await loadApplication(context, shownGroup.applicationId);
  const [team, region] = await Promise.all([
    loadTeam(context, application.teamId),
    loadRegion(context, application.regionId),
  ]);
  requireEnabled(region);
  if (!input.dryRun) requireWritable(context);
  const installed = (await installedTemplates(context, application.id)).find(({ groupIds }) =>
    groupIds.includes(shownGroup.id),
  );
  if (!installed) throw new ConflictError(`${shownGroup.name} was not installed from a store.`);
  const plan = async (reading: Reading<Context>) => {
    const before = await lockGroups(reading, application, [shownGroup.id]);
    const [group] = await findByKeys(reading, 'ComponentGroup', 'id', [shownGroup.id], ['id']);
    if (!group) throw new NotFoundError('component group');
    if (group.templateVersion !== shownGroup.templateVersion) {
      throw new ConflictError(
        `Another request changed ${group.name} to ${group.templateVersion} at the same time. Try again.`,
      );
    }
    const upgrade = await requireUpgradeToRollBack(reading, group);
    const template = await openLarge(context.seal, upgrade.sealedFromTemplate);
    const earlier = parseLarge<BaseTemplate>(context, template);
    await yieldToLoop(context.signal);
    const place = { ...reading, team, region, namespaceId: namespaceIdOf(before) };
    const rollback = await rollbackPlanOf(place, group.id, earlier, input);
    return { before, group, upgrade, rollback };
  };
  const make = async (
    write: Write<Context>,
    { before, group, upgrade, rollback }: Awaited<ReturnType<typeof plan>>,
  ) => {
    await requireRevisionOf(write, 'ComponentGroup', shownGroup.id, input);
    const scene = { ...write, team, region, application: before, group };
    const { fromVersion: version, toVersion } = upgrade;
    const { job, leftStopped } = await withinQuota(scene, () =>
      applyVersion(scene, rollback, rollback.next, version, upgrade),
    );
    const shown = isShownBy(before, installed, group)
      ? { templateName: rollback.next.groupName, version }
      : null;
    const versions = { installed, fromVersion: toVersion, toVersion: version, shown };
    await setVersions(write, before, [versions]);
    return { ...versions, changes: rollback.merge.changes, jobs: job ? [job] : [], leftStopped };
  };
  const isDryRun = input.dryRun ?? false;
  const outcome = await makePlanned(
    context,
    { action: 'application.rollback', isDryRun, plan, before: ({ before }) => before, make },
    { isLimited: false },
  );
  return { application, group: shownGroup, outcome };
}
