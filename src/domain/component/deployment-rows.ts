import type { Context } from '../../context.ts';
import { deleteMany, insertMany } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { yieldToLoop } from '../../kernel/slices.ts';

/** Keeps what components are deployed with, in place of what they were deployed with before. Encrypted on the way. */
export async function setDeployments(
  write: Write<Context>,
  deployments: readonly { componentId: string; spec: object }[],
): Promise<void> {
  const deployedAt = new Date();
  const rows: { id: string; sealedSpec: string; deployedAt: Date }[] = [];
  for (const { componentId, spec } of deployments) {
    rows.push({ id: componentId, sealedSpec: write.context.seal.close(JSON.stringify(spec)), deployedAt });
    await yieldToLoop(write.context.signal);
  }
  await deleteMany(
    write,
    'Deployment',
    ['id'],
    rows.map(({ id }) => [id]),
  );
  await insertMany(write, 'Deployment', rows);
}
