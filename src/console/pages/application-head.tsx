import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { FragmentOf } from '../api/graphql.ts';
import { useApplicationLive } from '../api/subscriptions.ts';
import type { View } from '../api/view.ts';
import type { ApplicationHead as HeadFragment } from '../documents/application.ts';
import { strings } from '../strings.ts';
import { Loading, Missing, PageHead, PartialError, Tabs } from '../ui/blocks.tsx';
import { applicationCrumbs, useCrumbs } from '../ui/crumbs.ts';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ApplicationActions } from './actions/application.tsx';
import { RunningJobs } from './running-jobs.tsx';

const text = strings.application;
type Head = FragmentOf<typeof HeadFragment>;

/** The frame of every page of an application: what it is, its pages, and live. */
export function ApplicationFrame<A extends Head>({ appId, tab, view, children }: ApplicationFrameProps<A>) {
  const { data, error, isLoading, retry } = view;
  const application = data?.application;
  const href = `/applications/${appId}`;
  useCrumbs(...applicationCrumbs(application));
  useApplicationLive(application?.id);
  if (isLoading) return <Loading />;
  if (!application) return <Missing error={error} retry={retry} />;
  return (
    <>
      <PageHead
        title={application.name}
        status={<Status name={application.state} />}
        meta={
          <>
            <Link href={`/regions/${encodeURIComponent(application.region.name)}`}>
              {application.region.alias}
            </Link>
            {application.templateName && (
              <span>{[application.templateName, application.version].filter(Boolean).join(' ')}</span>
            )}
            {application.principal && <span>{application.principal}</span>}
            <span>
              {strings.common.changed} <Time at={application.updatedAt} />
            </span>
          </>
        }
        actions={<ApplicationActions appId={appId} />}
      />
      <RunningJobs appId={appId} />
      {application.note && <p className="soft">{application.note}</p>}
      <Tabs
        label={text.pages}
        texts={text.tabs}
        current={tab}
        at={(each) => (each === 'components' ? href : `${href}/${each}`)}
      />
      <PartialError error={error} />
      {children(application)}
    </>
  );
}
interface ApplicationFrameProps<A extends Head> {
  appId: number;
  tab: keyof typeof text.tabs;
  view: View<{ application: A | null }>;
  children(application: A): ReactNode;
}
