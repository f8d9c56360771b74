import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import { markChanged } from '../rows.ts';
import { insertDependencies, removeDependencies } from './many-rows.ts';

/** Adds or removes a dependency. Recorded in the event of the component. */
export async function setDependency(
  write: Write,
  component: Row<'Component'>,
  dependencyId: string,
  isWanted: boolean,
): Promise<void> {
  const { id, teamId, applicationId } = component;
  const pair = { componentId: id, dependencyId };
  await (isWanted ? insertDependencies(write, [pair]) : removeDependencies(write, [pair]));
  await markChanged(write, component, { isOwn: true });
  write.recordEvent({
    subject: { type: 'Component', id },
    teamId,
    applicationId,
    [isWanted ? 'after' : 'before']: { dependencyId },
  });
}
