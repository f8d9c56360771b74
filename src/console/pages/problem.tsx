import { Link } from 'wouter';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';

interface Props {
  problem: { message: string; job: { uid: number; kind: keyof typeof strings.job.kinds } | null } | null;
}

/** Why a component is not healthy, and the job that says more. */
export function Problem({ problem }: Props) {
  if (!problem) return null;
  const { message, job } = problem;
  return (
    <Notice tone="bad">
      {message}{' '}
      {job && (
        <Link href={`/jobs/${job.uid}`}>{strings.job.title(strings.job.kinds[job.kind], job.uid)}</Link>
      )}
    </Notice>
  );
}
