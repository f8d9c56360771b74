import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { Listing } from '../act/listing.tsx';
import { useJobLive } from '../api/subscriptions.ts';
import { useView } from '../api/view.ts';
import { JobQuery } from '../documents/jobs.ts';
import { runPath } from '../runs/followed.ts';
import { RunStatus } from '../runs/status.tsx';
import { strings } from '../strings.ts';
import { Fields, Loading, Missing, Notice, PageHead } from '../ui/blocks.tsx';
import { useCrumbs } from '../ui/crumbs.ts';
import { Digest } from '../ui/digest.tsx';
import { Meter } from '../ui/meter.tsx';
import { Status } from '../ui/status.tsx';
import { Duration, Time } from '../ui/time.tsx';
import { cancelItem, isUnfinished } from './cancel-job.ts';
import { logsPath } from './followed.ts';

const text = strings.job;
const ended = ['SUCCEEDED', 'FAILED', 'CANCELLED'];

export function JobPage({ jobId }: { jobId: number }) {
  const { data, error, isLoading, retry } = useView(JobQuery, { by: { jobId } });
  const job = data?.job;
  const title = job ? text.title(text.kinds[job.kind], job.uid) : '';
  useCrumbs(
    job && { text: job.team.alias, href: `/teams/${encodeURIComponent(job.team.name)}` },
    job?.application
      ? { text: job.application.name, href: `/applications/${job.application.uid}` }
      : undefined,
    job && { text: title, href: `/jobs/${jobId}` },
  );
  useJobLive(job && !ended.includes(job.status) ? job.id : undefined);
  if (isLoading) return <Loading />;
  if (!job) return <Missing error={error} retry={retry} />;
  const { nodes, totalCount } = job.components;
  const failing = nodes.find(({ error, status }) => error && status !== 'CANCELLED')?.component;
  const done = nodes.filter(({ status }) => ended.includes(status)).length;
  return (
    <>
      <PageHead
        title={title}
        status={<Status name={job.status} of="job" />}
        actions={
          isUnfinished(job) &&
          (job.application?.mayCancel ?? job.team.mayApply) && <ActionBar items={[cancelItem(job)]} />
        }
      />
      {job.note && !job.error && <Notice tone="busy">{job.note}</Notice>}
      {job.error && (
        <Notice tone={ended.includes(job.status) ? 'bad' : 'warn'}>
          {job.error} {failing && <Link href={logsPath(failing.uid)}>{text.logs}</Link>}
        </Notice>
      )}
      {!ended.includes(job.status) && (
        <div className="card meters">
          <Meter
            label={text.progress}
            tone="busy"
            value={done}
            max={totalCount}
            text={text.done(done, totalCount)}
          />
        </div>
      )}
      <Fields
        items={[
          [text.by, job.user?.nickName ?? job.user?.email ?? text.byTrellis],
          [
            text.application,
            job.application && (
              <Link href={`/applications/${job.application.uid}`}>{job.application.name}</Link>
            ),
          ],
          [
            text.region,
            <Link key="region" href={`/regions/${encodeURIComponent(job.region.name)}`}>
              {job.region.alias}
            </Link>,
          ],
          [text.started, <Time key="started" at={job.startedAt ?? job.createdAt} />],
          [text.took, job.startedAt && <Duration from={job.startedAt} to={job.endedAt} />],
          [text.request, <code key="request">{job.requestId}</code>],
        ]}
      />
      <Listing
        texts={{ title: text.steps, columns: text.stepColumns, none: text.noSteps }}
        list={{ totalCount: totalCount, nodes: nodes }}
        classes={{ action: 'soft', attempts: 'soft', took: 'soft' }}
        cells={(step) => ({
          component: (
            <>
              {step.component ? (
                <Link className="row-link" href={`/components/${step.component.uid}`}>
                  {step.name}
                </Link>
              ) : (
                step.name
              )}
              {step.preDeployRun && step.component && (
                <div className="small">
                  <Link href={runPath(step.component.uid, step.preDeployRun.uid)}>{text.preDeployRun}</Link>{' '}
                  <RunStatus run={step.preDeployRun} />
                </div>
              )}
              {step.error && <div className="field-error">{step.error}</div>}
              {step.note && <div className="soft small">{step.note}</div>}
              {step.digest && (
                <div>
                  <Digest digest={step.digest} />
                </div>
              )}
            </>
          ),
          action: text.actions[step.action],
          status: <Status name={step.status} of="job" />,
          attempts: step.attemptCount,
          took: <Duration from={step.startedAt} to={step.endedAt} />,
        })}
      />
    </>
  );
}
