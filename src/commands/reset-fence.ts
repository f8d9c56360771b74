// npm run reset-fence -- --region NAME [--enterprise NAME]: lets jobs write over what later jobs have written in a cluster, after a
// database was restored from a backup, in which the numbers of jobs are lower.
import { readConfig } from '../config.ts';
import type { Database } from '../db/open.ts';
import { clusterSource } from '../domain/region/cluster-reads.ts';
import { createKubernetesRegion } from '../drivers/region/kubernetes/kubernetes.ts';
import { createLog } from '../kernel/log.ts';
import { createSeal } from '../kernel/seal.ts';
import { CommandError, options, run, UsageError, withDatabase } from './command.ts';

const usage = `usage: npm run reset-fence -- --region NAME [--enterprise NAME]
Use it after the database was restored from a backup, when jobs fail because the cluster has that of a later job.
Stop every gateway that works on the database from before the restore first.`;

/** The region with this name, in the given enterprise if several enterprises have one. */
async function regionNamed(db: Database, name: string, enterpriseName: string | undefined): Promise<string> {
  const fields = ['id', 'enterpriseId', 'driver'] as const;
  const candidates = await db.region.findManyByKeys({ by: 'name', keys: [name], fields });
  const enterprises = await db.enterprise.findManyByKeys({
    by: 'id',
    keys: candidates.map(({ enterpriseId }) => enterpriseId),
    fields: ['id', 'name'],
  });
  const names = new Map(enterprises.map((each) => [each.id, each.name]));
  const regions = candidates.filter(
    ({ enterpriseId }) => enterpriseName === undefined || names.get(enterpriseId) === enterpriseName,
  );
  if (regions.length > 1) {
    const list = [...names.values()].sort().join(', ');
    throw new UsageError(`Several enterprises have a region ${name}. Set --enterprise to one of ${list}`);
  }
  const [region] = regions;
  if (!region) throw new CommandError(`There is no region ${name}.`);
  if (region.driver !== 'kubernetes') throw new CommandError(`The region ${name} has no cluster.`);
  return region.id;
}

await run(async () => {
  const { region: name, enterprise } = options({
    region: { type: 'string' },
    enterprise: { type: 'string' },
  });
  if (!name) throw new UsageError('--region is required');
  const { secretKey, newSecretKey, regionAllowLocal: allowsLocal } = readConfig(process.env);
  await withDatabase(async (db) => {
    const id = await regionNamed(db, name, enterprise);
    const services = { db, seal: createSeal(secretKey, newSecretKey), log: createLog('silent') };
    const driver = createKubernetesRegion(clusterSource(services, async () => [], { allowsLocal }));
    try {
      const count = await driver.resetFence(id, new AbortController().signal);
      process.stdout.write(
        `Removed the numbers of jobs from ${count} ${count === 1 ? 'object' : 'objects'}.\n`,
      );
    } finally {
      await driver.close();
    }
  });
}, usage);
