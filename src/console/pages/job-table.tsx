import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import type { FragmentOf } from '../api/graphql.ts';
import type { JobRow } from '../documents/jobs.ts';
import { strings } from '../strings.ts';
import { LoadMore } from '../ui/load-more.tsx';
import { Status } from '../ui/status.tsx';
import { Table } from '../ui/table.tsx';
import { Duration, Time } from '../ui/time.tsx';
import { cancelItem, isUnfinished } from './cancel-job.ts';

const text = strings.job;

export function JobTable({
  jobs,
  mayCancel,
  more,
}: {
  jobs: readonly FragmentOf<typeof JobRow>[];
  /** Whether the caller may cancel those that have not ended. */
  mayCancel?: boolean;
  more?: { count: number; load(): void };
}) {
  return (
    <div>
      <Table
        label={text.plural}
        columns={text.columns}
        empty={text.none}
        rows={jobs}
        classes={{ by: 'soft', started: 'soft', took: 'soft' }}
        cells={(job) => ({
          kind: (
            <>
              <Link className="row-link" href={`/jobs/${job.uid}`}>
                {text.kinds[job.kind]}
              </Link>
              {job.note && !job.error && (
                <div className="soft small truncate" title={job.note}>
                  {job.note}
                </div>
              )}
              {job.error && (
                <div className="job-error truncate" title={job.error}>
                  {job.error}
                </div>
              )}
            </>
          ),
          status: (
            <span className="row">
              <Status name={job.status} of="job" />
              {mayCancel && isUnfinished(job) && <ActionBar isSmall items={[cancelItem(job)]} />}
            </span>
          ),
          by: job.user?.nickName ?? job.user?.email ?? text.byTrellis,
          started: <Time at={job.createdAt} />,
          took: <Duration from={job.startedAt} to={job.endedAt} />,
        })}
      />
      {more && <LoadMore {...more} />}
    </div>
  );
}
