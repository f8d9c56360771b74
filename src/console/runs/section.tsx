import type { ReactNode } from 'react';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import { wordsOf } from '../act/words.ts';
import type { FragmentOf } from '../api/graphql.ts';
import type { RunsOf } from '../documents/runs.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';
import { Time } from '../ui/time.tsx';
import { commandFields, defaultTimeout } from './command.tsx';
import { useFollowedRun } from './followed.ts';
import { RunStatus } from './status.tsx';
import { text } from './strings.ts';

type Component = FragmentOf<typeof RunsOf> & {
  uid: string;
  name: string;
  application: { region: { driver: string | null } };
};
type Run = Component['runs']['nodes'][number];

/** Commands that run once, beside the instances of a component. */
export function Runs({ component, logOf }: RunsProps) {
  const { uid, name, runs, application } = component;
  // Without a cluster, nothing runs.
  const mayRun = component.mayRun && application.region.driver !== 'DECLARED';
  const [followedUid, follow] = useFollowedRun();
  const followed = mayRun ? runs.nodes.find((run) => run.uid === followedUid) : undefined;
  return (
    <Listing
      texts={{ ...text, columns: { ...text.columns, actions: strings.common.actions } }}
      list={runs}
      add={mayRun && [startItem(uid, name)]}
      classes={{ created: 'soft', ended: 'soft' }}
      cells={(run) => ({
        command: (
          <>
            <code>{run.command.join(' ')}</code>
            {run.job && <span className="soft small"> {text.beforeDeploy}</span>}
            {run.schedule && <span className="soft small"> {text.bySchedule(run.schedule.cron)}</span>}
          </>
        ),
        status: <RunStatus run={run} />,
        created: <Time at={run.createdAt} />,
        ended: run.endedAt ? <Time at={run.endedAt} /> : '–',
        actions: (
          <span className="row">
            {mayRun && (
              <Button
                look="small"
                aria-expanded={followed?.id === run.id}
                onClick={() => follow(followed?.id === run.id ? '' : run.uid)}
              >
                {followed?.id === run.id ? text.hide : text.log}
              </Button>
            )}
            {mayRun && !run.endedAt && run.status !== 'CANCELLING' && (
              <ActionBar isSmall items={[cancelItem(run)]} />
            )}
          </span>
        ),
      })}
    >
      {followed && logOf(followed.uid, text.logOf(followed.command.join(' ')))}
    </Listing>
  );
}

interface RunsProps {
  component: Component;
  /** The log of a run, by its `uid` and its title for people. */
  logOf(run: string, title: string): ReactNode;
}

const startItem = (uid: string, name: string) =>
  itemOf(`run ${uid}`, {
    ...wordsOf(text, 'start', name),
    mutation: 'runComponent',
    form: (values) => ({
      first: ['command', 'timeoutSeconds'],
      fields: commandFields(values),
      initial: defaultTimeout,
    }),
    target: { component: { componentId: uid } },
  });

const cancelItem = (run: Run) =>
  itemOf(`cancel ${run.id}`, {
    ...wordsOf(text, 'cancel'),
    mutation: 'cancelRun',
    target: { run: { id: run.id }, expectedRevision: run.revision },
  });
