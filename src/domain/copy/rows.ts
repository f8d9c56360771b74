import type { Row } from '../../db/tables.ts';
import { insertApplication } from '../application/rows.ts';
import { copyGroups } from '../component/group-rows.ts';
import { applyComponents } from '../plan/apply-rows.ts';
import { requireFreeVolumes } from '../plan/claims.ts';
import { type ApplyWrite, policyOfManifests, type WritePolicy } from '../plan/parts-rows.ts';
import type { CopyPlan } from './scene-reads.ts';

/** The event of the copy has its components. The plan has the rules of their ports. */
const policy: WritePolicy = {
  ...policyOfManifests,
  ...{ recordsParts: false, hasDefaultRules: false, isOfNew: true },
};

/** Makes a planned copy, and records the job that deploys it. */
export async function makeCopy(
  write: ApplyWrite,
  { application: columns, works: planned, routes, groups, options }: CopyPlan,
): Promise<{ application: Row<'Application'>; job: Row<'Job'> | null }> {
  const { team } = write;
  const created: ApplyWrite = {
    ...write,
    recordEvent: (event) => write.recordEvent({ ...event, action: 'application.create' }),
  };
  const application = await insertApplication(created, columns);
  const createdAt = new Date();
  const groupIds = await copyGroups(
    write,
    groups.map(({ id, ...group }) => ({ ...group, copyOfId: id, applicationId: application.id, createdAt })),
  );
  const components = planned.map((work) => {
    const { groupId } = work.row;
    return { ...work, row: { ...work.row, groupId: groupId === null ? null : groupIds.get(groupId)! } };
  });
  await requireFreeVolumes(write, components);
  const job = await applyComponents(
    { ...write, application, manifestId: null, policy },
    { components, removed: [], routes },
    { kind: 'deploy', deploy: options.deploy ? 'changed' : 'none' },
  );
  const { copyOfId } = columns;
  const { secrets, volumes } = options;
  write.recordEvent({
    action: 'application.copy',
    subject: { type: 'Application', id: application.id },
    name: application.name,
    teamId: team.id,
    applicationId: application.id,
    after: { copyOfId, secrets, volumes, components: components.map(({ name }) => name) },
  });
  return { application, job };
}
