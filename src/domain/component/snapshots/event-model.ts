import { randomBytes } from 'node:crypto';
import type { Row } from '../../../db/tables.ts';

interface Recorded {
  volume: Pick<Row<'Volume'>, 'id' | 'name'>;
  component: Pick<Row<'Component'>, 'id' | 'teamId' | 'applicationId'>;
  name: string;
}

/** The recorded fields of a snapshot that is made, restored or deleted. */
export const snapshotEvent = ({ volume, component, name }: Recorded) => ({
  subject: { type: 'Volume', id: volume.id } as const,
  name: volume.name,
  teamId: component.teamId,
  applicationId: component.applicationId,
  componentId: component.id,
  after: { snapshot: name },
});

/** `2026-11-25t18-05-09`, in UTC. */
const nameByTime = (at: Date) => at.toISOString().slice(0, 19).toLowerCase().replaceAll(':', '-');

/** A name for a snapshot without one. Several can be made within a second. */
export const newName = (at: Date) => `${nameByTime(at)}-${randomBytes(2).toString('hex')}`;

/** The name of a snapshot that a schedule makes, which other volumes of the component can have at the same time. */
export const scheduledName = (at: Date, { id }: Pick<Row<'Volume'>, 'id'>) => `${nameByTime(at)}-v${id}`;
