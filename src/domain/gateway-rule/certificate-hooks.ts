import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import type { CertificateHooks } from '../certificate/hooks.ts';
import { applyAgain } from '../component/deploy/apply-rows.ts';
import { isImmediate } from '../region/reads.ts';

/** Has the components whose rules use a certificate applied again when it is replaced. */
export const rulesOfCertificate: CertificateHooks = {
  async replacing(write, certificate) {
    const locked = new Set((await componentsUsing(write, certificate)).flatMap(({ ids }) => ids));
    await lockRows(write, 'Component', ...locked);
    return async () => {
      const using = await componentsUsing(write, certificate);
      if (using.some(({ ids }) => ids.some((id) => !locked.has(id)))) {
        throw new ConflictError('A rule was given the certificate at the same time. Try again.');
      }
      const team = await write.tx.team.findUniqueOrThrow({ where: { id: certificate.teamId } });
      for (const { region, ids } of using) await applyAgain(write, { team, region }, ids);
    };
  },
};

/** The components with a published rule that uses the certificate, in the regions that carry out jobs. */
async function componentsUsing(
  write: Write<Context>,
  { id }: Row<'Certificate'>,
): Promise<{ region: Row<'Region'>; ids: string[] }[]> {
  const rules = await findByKeys(write, 'HttpRule', 'certificateId', [id], ['id'], {
    fields: ['componentId', 'regionId', 'isPublished'],
  });
  const byRegion = groupBy(
    rules.filter(({ isPublished }) => isPublished),
    ({ regionId }) => regionId,
  );
  const regions = await findByKeys(write, 'Region', 'id', [...byRegion.keys()], ['id']);
  return regions
    .filter((region) => !isImmediate(write.context, region))
    .map((region) => ({
      region,
      ids: [...new Set(byRegion.get(region.id)!.map(({ componentId }) => componentId))],
    }));
}
