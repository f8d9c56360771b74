import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import { markChanged } from '../rows.ts';
import { requireObjectRoom } from '../size/rows.ts';
import { addDependencies, type NewDependency, removeDependencies } from './many-rows.ts';

/** Adds or removes a dependency. Recorded in the event of the component. */
export async function setDependency(
  write: Write,
  component: Row<'Component'>,
  dependencyId: string,
  isWanted: boolean,
): Promise<void> {
  const { id, teamId, applicationId } = component;
  const pair = { componentId: id, dependencyId };
  if (isWanted) await requireObjectRoom(write, applicationId);
  await (isWanted ? addDependencies(write, [pair]) : removeDependencies(write, [pair]));
  await markChanged(write, component, { isOwn: true });
  write.recordEvent({
    subject: { type: 'Component', id },
    teamId,
    applicationId,
    [isWanted ? 'after' : 'before']: { dependencyId },
  });
}

export interface DependencyChanges {
  add: readonly NewDependency[];
  remove: readonly NewDependency[];
}

/** Writes the changes of many components in few statements, with their events. The caller marks the components as changed. */
export async function changeAllDependencies(
  write: Write,
  changed: readonly { component: Row<'Component'>; changes: DependencyChanges }[],
): Promise<void> {
  await removeDependencies(
    write,
    changed.flatMap(({ changes }) => changes.remove),
  );
  await addDependencies(
    write,
    changed.flatMap(({ changes }) => changes.add),
  );
  for (const { component, changes } of changed) {
    const { id, teamId, applicationId } = component;
    const event = { subject: { type: 'Component', id }, teamId, applicationId } as const;
    for (const { dependencyId } of changes.remove) {
      write.recordEvent({ action: 'component.delete_dependency', ...event, before: { dependencyId } });
    }
    for (const { dependencyId } of changes.add) {
      write.recordEvent({ action: 'component.add_dependency', ...event, after: { dependencyId } });
    }
    await yieldInTransaction(write.context.signal);
  }
}
