import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import type { FragmentOf } from '../api/graphql.ts';
import { InstancesQuery } from '../documents/instances.ts';
import type { ReleasesOf } from '../documents/releases.ts';
import { rollBackItem } from '../releases/items.tsx';
import { text as releaseTexts } from '../releases/strings.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { failingInstance, logsPath } from './followed.ts';

type Component = FragmentOf<typeof ReleasesOf> & {
  problem: { message: string; job: { uid: number; kind: keyof typeof strings.job.kinds } | null } | null;
};

/** Why a component is not healthy, the job and the logs that say more, and what brings back the last release that worked. */
export function Problem({ component }: { component: Component }) {
  const { uid, problem, releases, mayRollBack } = component;
  // The page asks for the same, so that nothing is asked twice.
  const [{ data }] = useQuery({
    query: InstancesQuery,
    variables: { by: { componentId: uid } },
    pause: !problem,
  });
  if (!problem) return null;
  const { message, job } = problem;
  const instance = failingInstance(data?.component?.instances, message);
  const [latest, ...earlier] = releases.nodes;
  const working = earlier.find((release) => release.job?.status === 'SUCCEEDED');
  const rollBack = mayRollBack &&
    latest?.job?.status === 'FAILED' &&
    working && {
      ...rollBackItem(component, working),
      key: 'roll-back-problem',
      label: releaseTexts.rollBackTo(working.number),
    };
  return (
    <Notice tone="bad">
      {message} {instance && <Link href={logsPath(uid, instance)}>{strings.instances.logs(instance)}</Link>}{' '}
      {job && (
        <Link href={`/jobs/${job.uid}`}>{strings.job.title(strings.job.kinds[job.kind], job.uid)}</Link>
      )}{' '}
      <ActionBar isSmall items={present(rollBack)} />
    </Notice>
  );
}
