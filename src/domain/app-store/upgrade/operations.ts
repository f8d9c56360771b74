import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import { requireWritable, type Write } from '../../../db/write/change.ts';
import type { Reading } from '../../../db/write/reading.ts';
import { type Expecting, requireRevisionOf } from '../../../db/write/revision.ts';
import type { StoreTemplate } from '../../../drivers/app-store/driver.ts';
import type { OmittedKey, TemplateComponent } from '../../../drivers/app-store/template.ts';
import { ConflictError, NotFoundError } from '../../../kernel/errors.ts';
import { invalid } from '../../../kernel/validate.ts';
import { compareVersions } from '../../../kernel/version.ts';
import { namespaceIdOf } from '../../application/model.ts';
import { requireApplicationFor } from '../../application/reads.ts';
import { makePlanned } from '../../plan/planned-operations.ts';
import { objectsChanged } from '../../plan/work.ts';
import { withinQuota } from '../../region/quota-reads.ts';
import { addCredentials, requireAccepting } from '../credential-rows.ts';
import type { TemplatePlan } from '../merge/plan.ts';
import type { RequiredVariable, UpgradeApplication } from '../model.ts';
import { omittedRoot } from '../omitted-model.ts';
import {
  addressOf,
  callerOf,
  freshUpgradeVersionsOf,
  type InstalledTemplate,
  installedTemplates,
  upgradeVersionsOf,
} from '../reads.ts';
import { requiredVariablesOf, requireValues, withValues } from '../required-reads.ts';
import { type NextPlan, planOf, plansInOrder } from './plan-rows.ts';
import {
  applyVersion,
  type GroupWrite,
  isShownBy,
  lockGroups,
  setVersions,
  type UpgradeOutcome,
} from './rows.ts';

export type { UpgradeOutcome } from './rows.ts';

/** The most keys that an upgrade of several templates lists. */
const maxOmitted = 1_000;

type Wanted = UpgradeApplication['upgrades'][number];

/** The installed template that an item identifies, and its new version from the store. */
async function requireUpgrade(
  context: Context,
  installed: InstalledTemplate[],
  wanted: Wanted,
): Promise<{ target: InstalledTemplate; fetched: StoreTemplate }> {
  const named = installed.filter(
    (each) => each.templateId === wanted.templateId && each.store.name === wanted.storeName,
  );
  if (named.length === 0) throw new NotFoundError('installed template');
  // Several stores can have the same name; the one that offers the version is used.
  const versionsOf = (look: typeof upgradeVersionsOf) =>
    Promise.all(named.map(async (target) => ({ target, versions: await look(context, target) })));
  const offersIt = ({ versions }: { versions: string[] }) => versions.includes(wanted.version);
  const kept = await versionsOf(upgradeVersionsOf);
  // The version can be newer than the cached versions of the store.
  const offers = kept.some(offersIt) ? kept : await versionsOf(freshUpgradeVersionsOf);
  const { target, versions } = offers.find(offersIt) ?? offers[0]!;
  if (!versions.includes(wanted.version)) {
    throw new ConflictError(
      `${target.name} cannot be upgraded from ${target.currentVersion} to ${wanted.version}. ` +
        `Available versions: ${versions.join(', ') || 'none'}.`,
    );
  }
  const caller = callerOf(context, target.store.teamId);
  const address = addressOf(context, target.store);
  return {
    target,
    fetched: await context.drivers.store.template(caller, address, target.templateId, wanted.version),
  };
}

/**
 * Upgrades installed templates in one transaction. A dry run returns the same plan and writes nothing. The application is
 * as before.
 */
export async function upgradeApplication(
  context: Context,
  input: Omit<UpgradeApplication, 'expectedRevision'> & Expecting,
): Promise<{ application: Row<'Application'>; outcomes: UpgradeOutcome[]; omitted: OmittedKey[] }> {
  const { application, team, region } = await requireApplicationFor(
    context,
    input.application,
    'upgradeApplication',
  );
  requireAccepting(context, team, input);
  const names = input.upgrades.map((each) => JSON.stringify([each.storeName, each.templateId]));
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0) throw invalid(['input', 'upgrades', twice], 'Duplicate template');
  if (!input.dryRun) requireWritable(context);
  const installed = await installedTemplates(context, application.id);
  const wanted = await Promise.all(
    input.upgrades.map(async (each, index) => {
      const upgrade = await requireUpgrade(context, installed, each);
      const at = ['input', 'upgrades', index, 'variables'];
      const { components } = upgrade.fetched.template;
      return { ...upgrade, at, components: withValues(components, each.variables ?? [], at) };
    }),
  );
  const groupIds = wanted.flatMap(({ target }) => target.groupIds);
  const perform = async (write: Write<Context>, before: Row<'Application'>, planNext: NextPlan) => {
    const omitted = await inTurn(wanted, async ({ fetched }) => [
      ...omittedRoot(fetched.template.components, region),
      ...(input.acceptsCredentials ? await addCredentials(write, team, fetched) : fetched.omitted),
    ]);
    const scene = { ...write, team, region, application: before };
    const outcomes = await withinQuota(scene, () =>
      inTurn(wanted, (each) => upgradeTemplate(scene, each, planNext)),
    );
    // Locks on applications are taken after the one on the quota.
    await requireRevisionOf(write, 'Application', application.id, input);
    await setVersions(write, before, outcomes);
    return { outcomes, omitted };
  };
  const planGroups = async (reading: Reading<Context>, before: Row<'Application'>) => {
    const steps = wanted.flatMap(({ target, fetched: { template, version }, components }) =>
      target.groupIds.map((id) => ({ id, next: { ...template, components }, version })),
    );
    let objects = 0;
    return inTurn(steps, async ({ id, next, version }) => {
      const place = { ...reading, team, region, namespaceId: namespaceIdOf(before) };
      const plan = await planOf(place, id, next, version, input);
      objects += plan.merge ? objectsChanged(plan.merge.works, plan.merge.routes) : 0;
      context.budget?.requireChangeObjects(objects);
      return [id, plan] as const;
    });
  };
  const isDryRun = input.dryRun ?? false;
  const { outcomes, omitted: left } = await makePlanned(
    context,
    {
      action: 'application.upgrade',
      isDryRun,
      async plan(reading) {
        const before = await lockGroups(reading, application, groupIds);
        // Within a transaction, each group is planned when its turn comes.
        return { before, groups: reading.tx.isUnlocked ? await planGroups(reading, before) : [] };
      },
      before: ({ before }) => before,
      make: (write, { before, groups }) => perform(write, before, plansInOrder(groups, input)),
    },
    { isLimited: false },
  );
  // Of several templates, the first ones: an answer has a limit.
  const omitted = left.flat().slice(0, maxOmitted);
  return { application, outcomes, omitted };
}

interface WantedUpgrade {
  target: InstalledTemplate;
  fetched: StoreTemplate;
  /** The components of the new version, with the values that the caller gave for their variables. */
  components: TemplateComponent[];
  /** The path of these values in the input. */
  at: (string | number)[];
}

/** The required variables that an upgrade adds without a value. */
function missingIn({ works }: TemplatePlan, components: readonly TemplateComponent[]): RequiredVariable[] {
  const created = new Map(works.map(({ row, variables }) => [row.key, variables.create]));
  return requiredVariablesOf(components).filter(({ componentKey, name, scope }) =>
    created.get(componentKey)?.some((variable) => variable.name === name && variable.scope === scope),
  );
}

/** Upgrades every group of one template, one after the other. */
async function upgradeTemplate(
  scene: Omit<GroupWrite, 'group'>,
  { target, fetched: { template, version }, components, at }: WantedUpgrade,
  planNext: NextPlan,
): Promise<UpgradeOutcome> {
  const fields = ['name', 'templateVersion'] as const;
  const groups = await findByKeys(scene, 'ComponentGroup', 'id', target.groupIds, ['id'], { fields });
  if (groups.length < target.groupIds.length) throw new NotFoundError('installed template');
  // Another upgrade may have been committed before the components were locked.
  const lowest = groups.map(({ templateVersion }) => templateVersion ?? '').sort(compareVersions)[0];
  if (lowest !== target.currentVersion) {
    throw new ConflictError(
      `Another request upgraded ${target.name} to ${lowest} at the same time. Try again.`,
    );
  }
  const { application } = scene;
  const isShown = groups.some((group) => isShownBy(application, target, group));
  const place = { ...scene, namespaceId: namespaceIdOf(application) };
  const groupsDone = await inTurn(target.groupIds, async (id) => {
    const plan = await planNext(place, id, { ...template, components }, version);
    if (plan.merge) requireValues(missingIn(plan.merge, components), at);
    const done = await applyVersion({ ...scene, group: plan.group }, plan, template, version);
    return { changes: plan.merge?.changes ?? [], ...done };
  });
  return {
    installed: target,
    fromVersion: target.currentVersion,
    toVersion: version,
    shown: isShown ? { templateName: template.groupName, version } : null,
    changes: groupsDone.flatMap(({ changes }) => changes),
    jobs: groupsDone.flatMap(({ job }) => job ?? []),
    leftStopped: groupsDone.flatMap(({ leftStopped }) => leftStopped),
  };
}

/** Runs sequentially, because a transaction has one connection. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
