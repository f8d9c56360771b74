import { useQuery } from 'urql';
import { Link } from 'wouter';
import { InstancesQuery } from '../documents/instances.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { failingInstance, logsPath } from './followed.ts';

interface Props {
  uid: string;
  problem: { message: string; job: { uid: number; kind: keyof typeof strings.job.kinds } | null } | null;
}

/** Why a component is not healthy, the job that says more, and the logs of the instance that does not run. */
export function Problem({ uid, problem }: Props) {
  // The page asks for the same, so that nothing is asked twice.
  const [{ data }] = useQuery({
    query: InstancesQuery,
    variables: { by: { componentId: uid } },
    pause: !problem,
  });
  if (!problem) return null;
  const { message, job } = problem;
  const instance = failingInstance(data?.component?.instances, message);
  return (
    <Notice tone="bad">
      {message} {instance && <Link href={logsPath(uid, instance)}>{strings.instances.logs(instance)}</Link>}{' '}
      {job && (
        <Link href={`/jobs/${job.uid}`}>{strings.job.title(strings.job.kinds[job.kind], job.uid)}</Link>
      )}
    </Notice>
  );
}
