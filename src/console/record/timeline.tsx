import { useMemo } from 'react';
import { strings } from '../strings.ts';
import { groupBy } from '../ui/group-by.ts';
import { EventView } from './event.tsx';
import { type Group, groupsOf } from './groups.ts';
import type { RecordEvent } from './request.ts';

const text = strings.record;

/** Events by day, newest first. */
export function Timeline({ events }: { events: readonly RecordEvent[] }) {
  const days = useMemo(
    () =>
      groupBy(events, ({ at }) => text.day(new Date(at))).map(([day, ofDay]) => ({
        day,
        groups: groupsOf(ofDay),
      })),
    [events],
  );
  return (
    <div className="timeline">
      {days.map(({ day, groups }) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <ol className="card">
            {groups.map((group) => (
              <li key={group.key}>
                <GroupView group={group} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function GroupView({ group: { head, rest, scheduled } }: { group: Group }) {
  const parts = scheduled ? [head, ...rest] : rest;
  return (
    <>
      <EventView event={head} summary={scheduled && text.scheduled(scheduled)} />
      {parts.length > 0 && (
        <details className="more">
          <summary>{scheduled ? text.runs(scheduled.runs) : text.more(parts.length)}</summary>
          <ol>
            {parts.map((event) => (
              <li key={event.id}>
                <EventView event={event} isPart />
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}
