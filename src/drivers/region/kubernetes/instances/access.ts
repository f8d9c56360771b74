import type { InstanceAccess } from '../../instances.ts';
import type { Connection } from '../cluster/connection.ts';
import { withWorkErrors, workError } from '../cluster/errors.ts';
import type { EventSettings } from '../cluster/pod-events.ts';
import { followLogs } from '../logs/follow.ts';
import { logQueryOf } from '../logs/queries.ts';
import { readLogs } from '../logs/read.ts';
import type { StoredLines } from '../logs/stored-lines.ts';
import { readEvents } from './events.ts';
import { instanceOf } from './status.ts';
import { eventNeed } from './trouble.ts';

/** A look at pods, with the connection of a region once it knows them, and at what the log store of the region has of them. */
export function instanceAccess(
  connect: (regionId: string, signal: AbortSignal) => Promise<Connection>,
  storedLines: StoredLines,
  settings: EventSettings,
): InstanceAccess {
  /** Failures as users see them. */
  async function look<T>(
    regionId: string,
    signal: AbortSignal,
    read: (connection: Connection) => Promise<T> | T,
  ): Promise<T> {
    const connection = await connect(regionId, signal);
    return withWorkErrors(signal, async () => read(connection));
  }
  return {
    list: ({ id, regionId }, signal) =>
      look(regionId, signal, async (connection) => {
        const pods = connection.instances.podsOf(id);
        const eventsOf = await connection.podEvents.read(pods, eventNeed, settings);
        return pods
          .map((pod) => instanceOf(pod, eventsOf(pod)))
          .sort((one, other) => (one.name < other.name ? -1 : 1));
      }),
    logs: (component, instances, query, signal) =>
      look(component.regionId, signal, (connection) =>
        readLogs(connection, component, instances, query, signal),
      ),
    stored: (component, query, signal) =>
      storedLines(component.regionId, query, (namespace) => logQueryOf(namespace, component, query), signal),
    async *follow(component, query, signal) {
      const connection = await connect(component.regionId, signal);
      try {
        yield* followLogs(connection, component, query, signal);
      } catch (error) {
        if (!signal.aborted) throw workError(error);
      }
    },
    events: (component, reader, signal) =>
      look(component.regionId, signal, (connection) =>
        connection.readers.events.run(reader, () => readEvents(connection, component, signal), signal),
      ),
    remove: ({ id, regionId }, { uid }, signal) =>
      look(regionId, signal, async (connection) => {
        const pod = connection.instances.podsOf(id).find(({ metadata }) => metadata.uid === uid);
        if (pod) await connection.client.remove(pod, signal);
      }),
  };
}
