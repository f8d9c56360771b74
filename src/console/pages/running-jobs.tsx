import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { useJobLive } from '../api/subscriptions.ts';
import { RunningJobsQuery } from '../documents/jobs.ts';
import { strings } from '../strings.ts';
import { Status } from '../ui/status.tsx';
import { cancelItem } from './cancel-job.ts';

const text = strings.job;

/** The jobs of an application that have not ended, each with what cancels it. */
export function RunningJobs({ appId }: { appId: number }) {
  const [{ data }] = useQuery({ query: RunningJobsQuery, variables: { by: { appId } } });
  const application = data?.application;
  const jobs = [...(application?.running.nodes ?? []), ...(application?.pending.nodes ?? [])];
  useJobLive(jobs[0]?.id);
  if (!application || jobs.length === 0) return null;
  return (
    <ul className="card running-jobs" aria-label={text.running}>
      {jobs.map((job) => (
        <li key={job.id} className="row wrap">
          <Link href={`/jobs/${job.uid}`}>{text.title(text.kinds[job.kind], job.uid)}</Link>
          <Status name={job.status} of="job" />
          {job.error && <span className="soft small truncate">{job.error}</span>}
          <span className="spacer" />
          {application.mayCancel && <ActionBar isSmall items={[cancelItem(job)]} />}
        </li>
      ))}
    </ul>
  );
}
