import { randomUUID } from 'node:crypto';
import { simulatedInstance } from './instances.ts';
import type { Trellis } from './trellis.ts';

/** A run that has not ended, of a component of the team in a simulated region. */
export async function pendingRun(trellis: Trellis, teamId: string): Promise<{ runId: string }> {
  const { component } = await simulatedInstance(trellis, teamId);
  const input = { component, command: ['sleep', '600'] };
  return (await trellis.succeed('runComponent', input, 'run { runId: uid }')).run;
}

/** Writes a run that is over, as if its component had been in a region with a cluster. */
export async function insertRun(
  { services: { db } }: Trellis,
  componentId: string,
  given: { id?: string; createdAt?: Date; scheduleId?: string } = {},
): Promise<void> {
  const createdAt = given.createdAt ?? new Date();
  const [component] = await db.component.findManyByKeys({ by: 'id', keys: [componentId] });
  const { regionId } = component!;
  await db.transaction((tx) =>
    tx.componentRun.create({
      data: {
        id: given.id ?? randomUUID().replaceAll('-', ''),
        componentId,
        regionId,
        command: '["true"]',
        timeoutSeconds: 60,
        status: 'succeeded',
        exitCode: 0,
        requestId: 'test',
        scheduleId: given.scheduleId ?? null,
        createdAt,
        startedAt: createdAt,
        endedAt: createdAt,
      },
    }),
  );
}
