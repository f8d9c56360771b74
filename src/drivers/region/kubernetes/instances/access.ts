import type { InstanceAccess } from '../../instances.ts';
import { followWithWorkErrors } from '../cluster/errors.ts';
import type { EventSettings } from '../cluster/pod-events.ts';
import { followLogs } from '../logs/follow.ts';
import { logQueryOf } from '../logs/queries.ts';
import { readLogs } from '../logs/read.ts';
import type { StoredLines } from '../logs/stored-lines.ts';
import type { FromConnection } from '../write/scopes.ts';
import { readEvents } from './events.ts';
import { instanceOf } from './status.ts';
import { eventNeed } from './trouble.ts';

/** A look at pods, and at what the log store of the region has of them. */
export function instanceAccess(
  look: FromConnection,
  storedLines: StoredLines,
  settings: EventSettings,
): InstanceAccess {
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
      storedLines(
        component.regionId,
        component,
        query,
        (namespace) => logQueryOf(namespace, component, query),
        signal,
      ),
    async *follow(component, query, signal) {
      const connection = await look(component.regionId, signal, (each) => each);
      yield* followWithWorkErrors(signal, followLogs(connection, component, query, signal));
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
