import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { lockRows } from '../../../db/write/locks.ts';
import type { Reading } from '../../../db/write/reading.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import { closeLarge } from '../../../kernel/seal-large.ts';
import { applicationWithin } from '../../application/reads.ts';
import { setApplication } from '../../application/rows.ts';
import { recordUpgradeJob } from '../../component/deploy/apply-rows.ts';
import { setGroup } from '../../component/group-rows.ts';
import { lockNames } from '../../component/names/reads.ts';
import { setComponents } from '../../component/rows.ts';
import { isDeployed, nextDeployState } from '../../component/state-model.ts';
import { lockRegion } from '../../gateway-rule/address-reads.ts';
import { unpublishAll } from '../../gateway-rule/many-rows.ts';
import { writeComponents } from '../../plan/apply-rows.ts';
import { requireFreeVolumes } from '../../plan/claims.ts';
import type { ApplyWrite } from '../../plan/parts-rows.ts';
import type { StandingComponent } from '../../plan/standing-reads.ts';
import { setPorts } from '../../port/rows.ts';
import { nextBase, type TemplatePlan } from '../merge/plan.ts';
import type { UpgradeChange } from '../model.ts';
import type { InstalledTemplate } from '../reads.ts';
import { insertUpgradeRecord, policyOfTemplates, setRolledBack } from '../rows.ts';
import type { UpgradePlan } from './plan-rows.ts';

/** The upgrade of one template, made or planned. */
export interface UpgradeOutcome {
  installed: InstalledTemplate;
  fromVersion: string;
  toVersion: string;
  /** The installed template after the upgrade. */
  shown: Pick<Row<'Application'>, 'templateName' | 'version'> | null;
  changes: UpgradeChange[];
  /** The names of the components with changes that stay stopped. */
  leftStopped: string[];
  /** The jobs that carry it out, one for each group of components. None for a dry run. */
  jobs: Row<'Job'>[];
}

/** Locks the components of groups, and their names, unless they are read outside of a transaction. The application as it is then. */
export async function lockGroups(
  reading: Reading<Context>,
  { id, teamId, regionId }: Row<'Application'>,
  groupIds: readonly number[],
): Promise<Row<'Application'>> {
  const rows = await findByKeys(reading, 'Component', 'groupId', groupIds, ['id'], { fields: ['id'] });
  await lockRows(reading, 'Component', ...rows.map((row) => row.id));
  await lockNames(reading, { team: { id: teamId }, region: { id: regionId } });
  // The rules of a group are written after the jobs of the one before, which are locked after the region.
  if (groupIds.length > 1) await lockRegion({ ...reading, region: { id: regionId } });
  return applicationWithin(reading, id);
}

/** Whether the version of a group is the one that the application shows. */
export const isShownBy = (
  application: Row<'Application'>,
  { store }: InstalledTemplate,
  group: Pick<Row<'ComponentGroup'>, 'name' | 'templateVersion'>,
): boolean =>
  store.url === application.storeUrl &&
  group.name === application.templateName &&
  group.templateVersion === application.version;

/** Records the new versions of templates, and has the application show them. */
export function setVersions(
  write: Write<Context>,
  before: Row<'Application'>,
  outcomes: readonly Pick<UpgradeOutcome, 'installed' | 'fromVersion' | 'toVersion' | 'shown'>[],
): Promise<Row<'Application'>> {
  const shown = outcomes.find((each) => each.shown !== null)?.shown;
  const versions = (of: 'fromVersion' | 'toVersion') => ({
    templates: outcomes.map((each) => ({ templateId: each.installed.templateId, version: each[of] })),
  });
  return setApplication(write, before, shown ?? {}, {
    before: versions('fromVersion'),
    after: versions('toVersion'),
  });
}

/** A transaction that has locked the components of a group, then their names. */
export interface GroupWrite extends ApplyWrite {
  application: Row<'Application'>;
  group: Row<'ComponentGroup'>;
}

/** The job of an upgrade, and the names of the components with changes that stay stopped. */
type CarriedOut = Awaited<ReturnType<typeof recordUpgradeJob>>;

/** Carries out a plan. The number of statements does not depend on the number of components. */
async function carryOut(
  write: GroupWrite,
  { group, base, merge }: UpgradePlan & { merge: TemplatePlan },
  next: AppTemplate,
  version: string,
  now: Date,
): Promise<CarriedOut> {
  const { context, team, region, application } = write;
  const { works, routes, close } = merge;
  const current = await findByKeys(write, 'Component', 'groupId', [group.id], ['id'], {
    fields: ['deployState'],
  });
  await closeComponents(write, close, now);
  await requireFreeVolumes(write, works);
  await writeComponents(
    { ...write, manifestId: null, policy: policyOfTemplates },
    { components: works, removed: [], routes },
    current.some(isDeployed) ? 'changed' : 'none',
  );
  const done = await recordUpgradeJob(
    write,
    { team, region, applicationId: application.id },
    {
      upgraded: works.map(({ row }) => row.id),
      dropped: close.flatMap(({ row }) => (isDeployed(row) ? row.id : [])),
    },
  );
  const template = JSON.stringify(nextBase(base, merge, next));
  await yieldInTransaction(context.signal);
  const sealedTemplate = await closeLarge(context.seal, template);
  await yieldInTransaction(context.signal);
  await setGroup(write, group.id, { templateVersion: version, sealedTemplate, name: next.groupName });
  return done;
}

/**
 * Carries out a plan and records it, with the template that a rollback brings back. A rollback is recorded with the upgrade that it
 * takes back.
 */
export async function applyVersion(
  write: GroupWrite,
  { group, base, merge }: UpgradePlan,
  next: AppTemplate,
  version: string,
  takenBack?: Pick<Row<'UpgradeRecord'>, 'id'>,
): Promise<CarriedOut> {
  if (merge === null) return { job: null, leftStopped: [] };
  const { signal, actor } = write.context;
  const at = new Date();
  const done = await carryOut(write, { group, base, merge }, next, version, at);
  await yieldInTransaction(signal);
  const changes = JSON.stringify(merge.changes);
  await yieldInTransaction(signal);
  const { id } = await insertUpgradeRecord(write, {
    applicationId: write.application.id,
    groupId: group.id,
    userId: actor.userId,
    templateId: group.templateId!,
    fromVersion: group.templateVersion!,
    toVersion: version,
    changes,
    at,
    kind: takenBack ? 'rollback' : 'upgrade',
    sealedFromTemplate: takenBack ? null : group.sealedTemplate,
    rollbackId: null,
  });
  // The commit writes what the statements have written once more.
  await yieldInTransaction(signal);
  if (takenBack) await setRolledBack(write, takenBack.id, id);
  await yieldInTransaction(signal);
  return done;
}

/** Unpublishes the rules of closed components, as for closed ports. */
async function closeComponents(
  write: GroupWrite,
  close: readonly StandingComponent[],
  now: Date,
): Promise<void> {
  const drop = ({ row }: StandingComponent) => ({
    row,
    data: { deployState: nextDeployState(row.deployState, 'drop'), updatedAt: now },
  });
  await setComponents(write, 'component.close', close.map(drop));
  const open = close.flatMap(({ ports }) => ports.filter(({ isOuter }) => isOuter));
  await setPorts(
    write,
    { teamId: write.team.id, applicationId: write.application.id },
    'port.close_outer',
    open.map((port) => ({ port, data: { isOuter: false } })),
  );
  await unpublishAll(write, open);
}
