import type { strings } from '../strings.ts';
import { groupBy } from '../ui/group-by.ts';
import type { RecordEvent } from './request.ts';

/** Events that belong together: those of one request, or those of what a schedule did on one day. */
export interface Group {
  key: string;
  head: RecordEvent;
  rest: RecordEvent[];
  /** How often the schedule ran, and how that ended. */
  scheduled?: Parameters<typeof strings.record.scheduled>[0];
}

/** Types of objects by size: of all changes of a request, the one to the largest object is what a person asked for. */
const weights = ['Team', 'Region', 'Application', 'ComponentGroup', 'Component', 'Port'];
const weightOf = ({ objectType }: RecordEvent) => {
  const index = weights.indexOf(objectType);
  return index < 0 ? weights.length : index;
};

/** The component and the schedule of a run. Undefined for what people do. */
function scheduleOf({ objectType, changes, component, summary }: RecordEvent) {
  const schedule = changes.find(({ field }) => field === 'schedule')?.newValue;
  if (objectType !== 'ComponentRun' || typeof schedule !== 'string') return undefined;
  // The summary has the name of a component that is gone.
  const name = component?.name ?? summary.slice(0, Math.max(0, summary.indexOf(':')));
  return { key: `${component?.id ?? name} ${schedule}`, component: name, schedule };
}

/** The events of one day. What machines do again and again is one group, where it was done last. */
export function groupsOf(events: readonly RecordEvent[]): Group[] {
  const bySchedule = new Map(groupBy(events, (event) => scheduleOf(event)?.key ?? ''));
  const folded = new Map<RecordEvent, Group>();
  const isFolded = new Set<RecordEvent>();
  for (const [key, group] of bySchedule) {
    const runs = new Set(group.map(({ requestId }) => requestId)).size;
    if (key === '' || runs < 2) continue;
    const [head, ...rest] = group as [RecordEvent, ...RecordEvent[]];
    const count = (action: string) => group.filter((event) => event.action === `run.${action}`).length;
    const { component, schedule } = scheduleOf(head)!;
    const ends = { succeeded: count('succeeded'), failed: count('failed'), cancelled: count('cancel') };
    folded.set(head, { key: head.id, head, rest, scheduled: { component, schedule, runs, ...ends } });
    for (const event of group) isFolded.add(event);
  }
  const groups: (Group | RecordEvent[])[] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const fold = folded.get(event);
    if (fold) groups.push(fold);
    else if (isFolded.has(event)) continue;
    else if (Array.isArray(last) && last[0]?.requestId === event.requestId) last.push(event);
    else groups.push([event]);
  }
  return groups.map((group) => {
    if (!Array.isArray(group)) return group;
    const head = group.reduce((best, each) => (weightOf(each) < weightOf(best) ? each : best));
    return { key: head.id, head, rest: group.filter((each) => each !== head) };
  });
}
