import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Prepare } from '../../db/write/beforehand.ts';
import { requireWritable, type Write } from '../../db/write/change.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import type { Reading } from '../../db/write/reading.ts';
import { plannedBefore } from '../../db/write/recheck.ts';
import type { StoreAddress } from '../../drivers/app-store/driver.ts';
import type { OmittedKey } from '../../drivers/app-store/template.ts';
import { yieldToLoop } from '../../kernel/event-loop.ts';
import { closeLarge } from '../../kernel/seal-large.ts';
import { namespaceIdOf } from '../application/model.ts';
import { applicationWithin, requireApplicationFor } from '../application/reads.ts';
import { setApplication } from '../application/rows.ts';
import { beforeImages } from '../component/deploy/prepared-reads.ts';
import { insertGroup, setFirstTemplate } from '../component/group-rows.ts';
import { lockNames } from '../component/names/reads.ts';
import { applyComponents } from '../plan/apply-rows.ts';
import { requireFreeVolumes } from '../plan/claims.ts';
import { addCredentials, requireAccepting } from './credential-rows.ts';
import type { BaseTemplate } from './merge/input.ts';
import { nextBase, noComponents, planTemplate } from './merge/plan.ts';
import type { InstallApplication } from './model.ts';
import { askOffered } from './offered-reads.ts';
import { omittedRoot } from './omitted-model.ts';
import { callerOf } from './reads.ts';
import { requiredVariablesOf, requireValues, withValues } from './required-reads.ts';
import { policyOfTemplates, setStore } from './rows.ts';

/** The group of a template, before it is added. */
const notYet = { id: 0 };

/** The name of a store in upgrades: its domain or, if empty, the host of its URL. */
const storeName = ({ url, domain }: Pick<StoreAddress, 'url' | 'domain'>) => domain || new URL(url).host;

/**
 * Installs a template into an application, in one transaction after the template was downloaded.
 * Installing the same template twice creates two groups. The application is as before. A dry run returns the plan and the
 * group as it would be.
 */
export async function installApplication(
  context: Context,
  input: InstallApplication,
): Promise<{
  application: Row<'Application'>;
  group: Row<'ComponentGroup'>;
  job: Row<'Job'> | null;
  plan: ObjectChange[];
  omitted: OmittedKey[];
}> {
  const { application, team, region } = await requireApplicationFor(
    context,
    input.application,
    'installApplication',
  );
  requireAccepting(context, team, input);
  const isDryRun = input.dryRun ?? false;
  if (!isDryRun) requireWritable(context);
  const address: StoreAddress = {
    url: input.store.url.replace(/\/+$/, ''),
    domain: input.store.domain,
    accessKey: input.store.accessKey,
  };
  const caller = callerOf(context, team.id);
  const fetched = await context.drivers.store.template(caller, address, input.templateId, input.version);
  const { template } = fetched;
  const at = ['input', 'variables'];
  const components = withValues(template.components, input.variables ?? [], at);
  requireValues(requiredVariablesOf(components), at);
  const offered = await askOffered(context, caller, address, input.templateId);
  const nothing: BaseTemplate = { ...template, components: [], dropped: {} };
  const planned = plannedBefore(context, async (reading: Reading<Context>) => {
    await lockNames(reading, { team, region });
    const namespaceId = namespaceIdOf(await applicationWithin(reading, application.id));
    const place = { ...reading, team, region, namespaceId };
    const plan = await planTemplate(place, notYet, nothing, { ...template, components }, noComponents, {});
    const base = JSON.stringify(nextBase(nothing, plan, template));
    await yieldToLoop(context.signal);
    return { plan, sealedTemplate: await closeLarge(context.seal, base) };
  });
  const install = async (write: Write<Context>) => {
    const { plan, sealedTemplate } = await planned.within(write);
    const { works, routes } = plan;
    const before = await applicationWithin(write, application.id);
    const omitted = input.acceptsCredentials ? await addCredentials(write, team, fetched) : fetched.omitted;
    const sealedAccessKey = context.seal.close(address.accessKey);
    const { url, domain } = address;
    const store = await setStore(write, team, { url, domain, name: storeName(address), sealedAccessKey });
    const group = await insertGroup(write, {
      applicationId: application.id,
      name: template.groupName,
      templateId: input.templateId,
      templateVersion: input.version,
      offeredVersion: offered.offeredVersion,
      storeId: store.id,
      createdAt: new Date(),
    });
    const scene = { ...write, team, region, application, manifestId: null, policy: policyOfTemplates };
    for (const { row } of works) row.groupId = group.id;
    await requireFreeVolumes(scene, works);
    const deploy = input.deploy ? 'changed' : 'none';
    const work = { components: works, removed: [], routes };
    const job = await applyComponents(scene, work, { kind: 'deploy', deploy });
    await setFirstTemplate(write, group.id, sealedTemplate);
    // An application shows the template that was installed first.
    const installed = before.templateName === null && {
      storeName: store.name,
      storeUrl: address.url,
      templateName: template.groupName,
      version: input.version,
    };
    const data = { ...installed, governanceMode: before.governanceMode ?? template.governanceMode };
    await setApplication(write, before, data, {
      after: {
        groupId: group.id,
        templateId: input.templateId,
        store: store.name,
        components: works.map(({ row }) => row.alias),
      },
    });
    write.afterCommit(() => offered.keepLater(group.id));
    return { group, job, omitted };
  };
  const images = input.deploy ? components.map(({ image }) => image) : [];
  const askImages = beforeImages(context, { team, region }, images, isDryRun);
  const prepare: Prepare = async (prepared) => {
    await planned.prepare(prepared);
    await askImages?.(prepared);
  };
  const { result, plan } = await changeWithPlan(
    context,
    'application.install',
    { dryRun: isDryRun, isLimited: false, prepare },
    install,
  );
  return {
    application,
    group: result.group,
    job: isDryRun ? null : result.job,
    plan,
    omitted: [...omittedRoot(template.components, region), ...result.omitted],
  };
}
