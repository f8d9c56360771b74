import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { applicationWithin } from '../application/reads.ts';
import { insertApplication, makeDefault, setApplication } from '../application/rows.ts';
import { lockRegion } from '../gateway-rule/address-reads.ts';
import { applyComponents } from '../plan/apply-rows.ts';
import type { Deploying } from '../plan/model.ts';
import { type ApplyWrite, policyOfManifests } from '../plan/parts-rows.ts';
import type { Work } from '../plan/work.ts';
import { setManifest } from './rows.ts';

interface Applied {
  application: Row<'Application'>;
  job: Row<'Job'> | null;
}

/**
 * Makes the changes of a plan. The components are locked, and so are their names. The number of statements does not depend on
 * the number of objects.
 */
export async function applyWork(
  write: ApplyWrite,
  work: Work,
  before: Row<'Application'> | null,
  { digest, ...deploying }: Deploying & { digest: string },
): Promise<Applied> {
  // The row of the current default is changed before the rules, and by changes that have locked the region.
  if (work.application.data.isDefault) await lockRegion(write);
  const application = await writeApplication(write, work, before);
  const { userId } = write.context.actor;
  const manifest = await setManifest(write, application.id, { digest, appliedAt: new Date(), userId });
  const scene = { ...write, application, manifestId: manifest.id, policy: policyOfManifests };
  return { application, job: await applyComponents(scene, work, { kind: 'apply', ...deploying }) };
}

async function writeApplication(
  write: ApplyWrite,
  { application: { data, isNew } }: Work,
  before: Row<'Application'> | null,
): Promise<Row<'Application'>> {
  if (isNew) {
    const quiet = { ...write, recordEvent: withAction(write, 'application.create') };
    return insertApplication(quiet, data as Parameters<typeof insertApplication>[1]);
  }
  if (data.isDefault) await makeDefault(write, before!);
  return Object.keys(data).length === 0
    ? applicationWithin(write, before!.id)
    : setApplication({ ...write, recordEvent: withAction(write, 'application.update') }, before!, data);
}

const withAction =
  (
    { recordEvent }: Pick<Write, 'recordEvent'>,
    action: 'application.create' | 'application.update',
  ): Write['recordEvent'] =>
  (event) =>
    recordEvent({ ...event, action });
