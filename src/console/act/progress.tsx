import { useQuery } from 'urql';
import { useJobLive } from '../api/subscriptions.ts';
import { JobQuery } from '../documents/act-parts.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { Status, type Tone } from '../ui/status.tsx';

const text = strings.act;

const isOver = (status: string) => status !== 'PENDING' && status !== 'RUNNING';

/** The order of components by status: failed and running ones first, finished ones last. */
const ranks = ['FAILED', 'RUNNING', 'PENDING'];
const rankOf = (status: string) => {
  const rank = ranks.indexOf(status);
  return rank < 0 ? ranks.length : rank;
};

/** A job as it runs: how far it is, and the state of each component. */
export function JobProgress({ uid }: { uid: number }) {
  const [{ data, error }] = useQuery({ query: JobQuery, variables: { by: { jobId: uid } } });
  useJobLive(data?.job?.id);
  if (error && !data) return <Notice tone="warn">{text.jobUnknown}</Notice>;
  const job = data?.job;
  if (!job) return <p role="status">{strings.common.loading}</p>;
  const { nodes, totalCount } = job.components;
  const steps = [...nodes].sort(
    (one, other) =>
      rankOf(one.status) - rankOf(other.status) ||
      one.step - other.step ||
      one.name.localeCompare(other.name),
  );
  const done = nodes.filter(({ status }) => isOver(status)).length;
  return (
    <div className="progress" role="status">
      <div className="row">
        <Status name={job.status} of="job" />
        <span className="soft small">{text.doneOf(done, totalCount)}</span>
      </div>
      <progress value={isOver(job.status) ? 1 : done} max={isOver(job.status) ? 1 : Math.max(1, totalCount)}>
        {text.doneOf(done, totalCount)}
      </progress>
      {job.note && !job.error && <Notice tone="busy">{job.note}</Notice>}
      {job.error && <Notice tone={toneOf(job.status)}>{job.error}</Notice>}
      <ul className="progress-list">
        {steps.map(({ id, name, status, error }) => (
          <li key={id}>
            <span className="truncate">{name}</span>
            {error && <span className="field-error truncate">{error}</span>}
            <Status name={status} of="job" />
          </li>
        ))}
      </ul>
    </div>
  );
}

const toneOf = (status: string): Tone => (status === 'FAILED' ? 'bad' : 'warn');
