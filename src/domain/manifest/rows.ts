import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { changed } from '../../db/write/revision.ts';

/** The manifest of an application, which gets one with its first apply. The change is recorded with that of the application. */
export function setManifest(
  { tx }: Pick<Write, 'tx'>,
  applicationId: number,
  data: Pick<Row<'Manifest'>, 'digest' | 'appliedAt' | 'userId'>,
): Promise<Row<'Manifest'>> {
  return tx.manifest.upsert({
    where: { applicationId },
    create: { applicationId, ...data },
    update: { ...data, ...changed },
  });
}
