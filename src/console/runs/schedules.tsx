import type { Item } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import { wordsOf } from '../act/words.ts';
import type { FragmentOf } from '../api/graphql.ts';
import type { SchedulesOf } from '../documents/schedules.ts';
import { timeZoneHere, timingFields } from '../form/timing.ts';
import type { Values } from '../form/values.ts';
import { optionsOf } from '../ui/controls.tsx';
import { Skipped } from '../ui/skipped.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { commandFields, defaultTimeout } from './command.tsx';
import { text } from './schedule-strings.ts';

type Component = FragmentOf<typeof SchedulesOf> & {
  uid: string;
  name: string;
  application: { region: { driver: string | null } };
};
type Schedule = Component['schedules']['nodes'][number];

export function Schedules({ component }: { component: Component }) {
  const { uid, name, schedules, application } = component;
  // Without a cluster, nothing runs.
  const mayChange = component.mayCreateSchedule && application.region.driver !== 'DECLARED';
  return (
    <Listing
      texts={text}
      list={schedules}
      add={mayChange && [createItem(uid, name)]}
      classes={{ next: 'soft' }}
      cells={(schedule) => ({
        name: schedule.name,
        cron: (
          <>
            <code>{schedule.cron}</code> <span className="soft">{schedule.timeZone}</span>
          </>
        ),
        command: <code>{schedule.command.join(' ')}</code>,
        next: <Next schedule={schedule} />,
      })}
      itemsOf={mayChange && itemsOf}
    />
  );
}

/** The next times, and the last one that was skipped. */
function Next({ schedule }: { schedule: Schedule }) {
  const { isPaused, nextRuns, lastSkippedAt, lastSkipReason } = schedule;
  return (
    <>
      {isPaused && <Tag tone="idle">{text.paused}</Tag>}
      {!isPaused && nextRuns.length === 0 && text.noNext}
      {nextRuns.map((at) => (
        <div key={at}>
          <Time at={at} />
        </div>
      ))}
      {lastSkippedAt && lastSkipReason && (
        <Skipped at={lastSkippedAt} reason={text.reasons[lastSkipReason]} />
      )}
    </>
  );
}

const formOf = (values: Values, schedule?: Schedule) => ({
  first: ['name', 'cron', 'timeZone', 'command', 'timeoutSeconds', 'concurrency'] as const,
  fields: {
    name: {
      label: text.name,
      hint: schedule ? undefined : text.nameHint,
      placeholder: undefined,
      required: schedule !== undefined,
    },
    ...timingFields,
    ...commandFields(values),
    concurrency: { label: text.concurrency, hint: undefined, options: optionsOf(text.concurrencies) },
  },
  initial: schedule ?? { timeZone: timeZoneHere(), concurrency: 'FORBID', ...defaultTimeout },
});

const createItem = (uid: string, name: string) =>
  itemOf(`create-schedule ${uid}`, {
    ...wordsOf(text, 'create', name),
    mutation: 'createSchedule',
    form: (values) => formOf(values),
    target: { component: { componentId: uid } },
  });

function itemsOf(schedule: Schedule): Item[] {
  const { id, name, isPaused, revision } = schedule;
  const input = { schedule: { id }, expectedRevision: revision };
  return [
    itemOf(`edit-schedule ${id}`, {
      ...wordsOf(text, 'edit', name),
      mutation: 'updateSchedule',
      form: (values) => formOf(values, schedule),
      target: input,
    }),
    itemOf(`pause-schedule ${id}`, {
      label: isPaused ? text.resume : text.pause,
      title: isPaused ? text.resumeTitle(name) : text.pauseTitle(name),
      intro: isPaused ? text.resumeIntro : text.pauseIntro,
      mutation: 'updateSchedule',
      target: { ...input, isPaused: !isPaused },
    }),
    itemOf(`delete-schedule ${id}`, {
      ...wordsOf(text, 'delete', name),
      mutation: 'deleteSchedule',
      target: input,
    }),
  ];
}
