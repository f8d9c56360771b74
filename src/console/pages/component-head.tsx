import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { FragmentOf } from '../api/graphql.ts';
import { useApplicationLive } from '../api/subscriptions.ts';
import type { View } from '../api/view.ts';
import type { ComponentHead as HeadFragment } from '../documents/component-head.ts';
import { strings } from '../strings.ts';
import { Loading, Missing, PageHead, PartialError, Tabs } from '../ui/blocks.tsx';
import { applicationCrumbs, useCrumbs } from '../ui/crumbs.ts';
import { Status, Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ComponentActions } from './actions/component.tsx';

const text = strings.component;
type Head = FragmentOf<typeof HeadFragment>;

/** The frame of every page of a component: what it is, its pages, and live. */
export function ComponentFrame<C extends Head>({ uid, tab, view, children }: ComponentFrameProps<C>) {
  const { data, error, isLoading, retry } = view;
  const component = data?.component;
  const href = `/components/${uid}`;
  useCrumbs(...applicationCrumbs(component?.application), component && { text: component.name, href });
  useApplicationLive(component?.application.id);
  if (isLoading) return <Loading />;
  if (!component) return <Missing error={error} retry={retry} />;
  const { name, state, desiredState, hasUndeployedChanges, isUpgradable, updatedAt, application } = component;
  return (
    <>
      <PageHead
        title={name}
        status={
          <>
            <Status name={state ?? desiredState} />
            {hasUndeployedChanges && <Tag tone="warn">{strings.tree.undeployed}</Tag>}
            {isUpgradable && <Tag tone="busy">{strings.tree.upgradable}</Tag>}
          </>
        }
        meta={
          <>
            <Link href={`/regions/${encodeURIComponent(application.region.name)}`}>
              {application.region.alias}
            </Link>
            <span>
              {strings.common.changed} <Time at={updatedAt} />
            </span>
          </>
        }
        actions={<ComponentActions uid={uid} leave={`/applications/${application.uid}`} />}
      />
      <Tabs
        label={text.pages}
        texts={text.tabs}
        current={tab}
        at={(each) => (each === 'overview' ? href : `${href}/${each}`)}
      />
      <PartialError error={error} />
      {children(component)}
    </>
  );
}
interface ComponentFrameProps<C extends Head> {
  uid: string;
  tab: keyof typeof text.tabs;
  view: View<{ component: C | null }>;
  children(component: C): ReactNode;
}
