import type { Database, Transaction } from '../../db/open.ts';
import type { Seal } from '../../kernel/seal.ts';
import { sealStoredTemplate } from '../component/group-rows.ts';
import { isSecretName } from '../component/model.ts';
import { sealStoredVariable } from '../component/variables/many-rows.ts';
import type { UpgradeChange } from './model.ts';
import { redactUpgradeRecord } from './rows.ts';

/** Rows per transaction. Few groups, because a template can have several megabytes: they are read one after the other. */
const batch = { variables: 500, groups: 10 } as const;

/** Whether anything is in plain text. Almost always nothing is, and a transaction would load Prisma's query compiler. */
const anyVariable = 'SELECT 1 FROM environment_variable WHERE is_secret AND sealed_value IS NULL LIMIT 1';
const anyTemplate = 'SELECT 1 FROM component_group WHERE template IS NOT NULL LIMIT 1';

/**
 * Encrypts what earlier versions of Trellis stored in plain text: values of secret variables, and installed templates. Their
 * upgrade records lose the values of secrets. Safe to run in several processes at once.
 */
export async function sealStored(db: Database, seal: Seal): Promise<void> {
  const isThere = async (text: string) => (await db.query(text, [])).length > 0;
  if (await isThere(anyVariable)) while (await db.transaction((tx) => sealVariables(tx, seal)));
  if (await isThere(anyTemplate)) while (await db.transaction((tx) => sealTemplates(tx, seal)));
}

/** Whether there may be more rows. */
async function sealVariables(tx: Transaction, seal: Seal): Promise<boolean> {
  const rows = await tx.environmentVariable.findMany({
    where: { isSecret: true, sealedValue: null },
    orderBy: { id: 'asc' },
    take: batch.variables,
  });
  for (const row of rows) {
    await sealStoredVariable(tx, seal, row);
  }
  return rows.length === batch.variables;
}

async function sealTemplates(tx: Transaction, seal: Seal): Promise<boolean> {
  const groups = await tx.componentGroup.findMany({
    where: { template: { not: null } },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: batch.groups,
  });
  const groupId = { in: groups.map(({ id }) => id) };
  for (const { id } of await tx.upgradeRecord.findMany({ where: { groupId }, select: { id: true } })) {
    const { changes } = await tx.upgradeRecord.findUniqueOrThrow({
      where: { id },
      select: { changes: true },
    });
    const redacted = JSON.stringify((JSON.parse(changes) as UpgradeChange[]).map(withoutSecret));
    if (redacted !== changes) await redactUpgradeRecord(tx, id, redacted);
  }
  for (const { id } of groups) {
    const { template } = await tx.componentGroup.findUniqueOrThrow({
      where: { id },
      select: { template: true },
    });
    // Another process may have done so.
    if (template !== null) await sealStoredTemplate(tx, seal, { id, template });
  }
  return groups.length === batch.groups;
}

const withoutSecret = (change: UpgradeChange): UpgradeChange =>
  change.kind.endsWith('_VARIABLE') && isSecretName(change.name)
    ? {
        ...change,
        before: change.before === null ? null : '[redacted]',
        after: change.after === null ? null : '[redacted]',
      }
    : change;
