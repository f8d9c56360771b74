import { useEffect } from 'react';
import { useQuery } from 'urql';
import { ActionBar, type Item } from '../act/action-bar.tsx';
import { ActionTable } from '../act/action-table.tsx';
import { itemOf, present } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import type { ResultOf } from '../api/graphql.ts';
import { SnapshotsQuery } from '../documents/snapshots.ts';
import { timeZoneHere, timingFields } from '../form/timing.ts';
import { Loading, Notice, Section } from '../ui/blocks.tsx';
import { Skipped } from '../ui/skipped.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';

/** How long it waits before it looks whether a snapshot is ready. */
const pauseMs = 2_000;

type Volume = Extract<NonNullable<ResultOf<typeof SnapshotsQuery>['node']>, { __typename: 'Volume' }>;
type Snapshot = NonNullable<Volume['snapshots']>[number];
type Schedule = NonNullable<Volume['snapshotSchedule']>;

/** The snapshots of a volume, and when others are made. */
export function Snapshots({ id, name, mayChange }: { id: string; name: string; mayChange: boolean }) {
  const [{ data, error, fetching }, read] = useQuery({ query: SnapshotsQuery, variables: { id } });
  // The record has a change before the cluster does, so that the event of a change comes too early.
  const again = () => read({ requestPolicy: 'network-only' });
  const volume = data?.node?.__typename === 'Volume' ? data.node : undefined;
  const isUnderWay = volume?.snapshots?.some(({ isReady, problem }) => !isReady && !problem) ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another answer has arrived
  useEffect(() => {
    if (!isUnderWay || fetching) return;
    const timer = setTimeout(again, pauseMs);
    return () => clearTimeout(timer);
  }, [isUnderWay, fetching]);
  if (!data && !error) return <Loading rows={2} />;
  return (
    <Section
      title={text.title(name)}
      count={volume?.snapshots?.length}
      actions={volume && mayChange && <ActionBar isSmall shown={3} items={itemsOf(name, volume, again)} />}
    >
      {error && <Notice tone="warn">{error.graphQLErrors[0]?.message ?? error.message}</Notice>}
      {volume && <Times schedule={volume.snapshotSchedule} />}
      {volume?.snapshots && (
        <ActionTable
          label={text.title(name)}
          columns={text.columns}
          empty={text.none}
          rows={volume.snapshots}
          keyOf={(snapshot) => snapshot.name}
          classes={{ name: 'mono', createdAt: 'soft', size: 'soft' }}
          cells={(snapshot) => ({
            name: (
              <>
                {snapshot.name}
                {snapshot.isScheduled && <span className="soft small"> {text.scheduled}</span>}
              </>
            ),
            createdAt: snapshot.createdAt ? <Time at={snapshot.createdAt} /> : '–',
            size: sizeOf(snapshot),
            state: <State snapshot={snapshot} />,
          })}
          itemsOf={mayChange && ((snapshot) => itemsOfSnapshot(id, name, snapshot, again))}
        />
      )}
    </Section>
  );
}

const sizeOf = ({ bytes }: Snapshot) => (bytes ? `${Math.round((bytes / 2 ** 30) * 10) / 10} GiB` : '–');

function State({ snapshot: { isReady, problem } }: { snapshot: Snapshot }) {
  if (isReady) return <Tag tone="good">{text.ready}</Tag>;
  if (problem) return <Tag tone="bad">{`${text.failed}: ${problem}`}</Tag>;
  return <Tag tone="busy">{text.underWay}</Tag>;
}

/** When snapshots are made, and what became of the last times. */
function Times({ schedule }: { schedule: Schedule | null }) {
  if (!schedule) return <p className="soft">{text.noSchedule}</p>;
  const { cron, timeZone, keep, nextRuns, lastRunAt, lastSkippedAt, lastSkipReason, lastSkipMessage } =
    schedule;
  return (
    <div className="soft">
      <p>
        {text.schedule}: <code>{cron}</code> {timeZone}. {text.kept(keep)}
      </p>
      <p className="small">
        {text.next}:{' '}
        {nextRuns.map((at) => (
          <span key={at}>
            <Time at={at} />{' '}
          </span>
        ))}
        {lastRunAt && (
          <>
            {text.last}: <Time at={lastRunAt} />
          </>
        )}
      </p>
      {lastSkippedAt && lastSkipReason && (
        <Skipped
          at={lastSkippedAt}
          reason={[text.reasons[lastSkipReason], lastSkipMessage].filter(Boolean).join(': ')}
        />
      )}
    </div>
  );
}

const itemsOf = (name: string, { id, revision, snapshotSchedule }: Volume, done: () => void): Item[] => {
  const input = { volume: { id }, expectedRevision: revision };
  return present(
    itemOf(`make-snapshot ${id}`, {
      ...wordsOf(text, 'make', name),
      mutation: 'createVolumeSnapshot',
      done,
      form: {
        first: ['name'],
        fields: { name: { label: text.name, hint: text.nameHint, placeholder: undefined } },
      },
      target: { volume: { id } },
    }),
    itemOf(`snapshot-schedule ${id}`, {
      ...wordsOf(text, 'set', name),
      mutation: 'setSnapshotSchedule',
      done,
      form: {
        first: ['cron', 'timeZone', 'keep'],
        fields: { ...timingFields, keep: { label: text.keep, hint: text.keepHint } },
        initial: snapshotSchedule ?? { timeZone: timeZoneHere(), keep: 7 },
      },
      target: input,
    }),
    snapshotSchedule !== null &&
      itemOf(`remove-snapshot-schedule ${id}`, {
        ...wordsOf(text, 'remove', name),
        mutation: 'removeSnapshotSchedule',
        done,
        target: input,
      }),
  );
};

/** The actions of a snapshot of a volume. */
const itemsOfSnapshot = (
  id: string,
  volume: string,
  { name, isReady }: Snapshot,
  done: () => void,
): Item[] => {
  const input = { volume: { id }, name };
  return present(
    isReady &&
      itemOf(`restore-snapshot ${id} ${name}`, {
        ...wordsOf(text, 'restore', volume, name),
        isDestructive: true,
        mutation: 'restoreVolumeSnapshot',
        done,
        plan: 'step',
        target: input,
      }),
    itemOf(`delete-snapshot ${id} ${name}`, {
      ...wordsOf(text, 'delete', name),
      mutation: 'deleteVolumeSnapshot',
      done,
      target: input,
    }),
  );
};
