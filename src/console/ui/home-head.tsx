import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { PageHead, Tabs } from './blocks.tsx';
import { useCrumbs } from './crumbs.ts';

const { tabs, pages } = strings.home;
type Tab = keyof typeof tabs;

const hrefOf = (tab: string) => (tab === 'teams' ? '/' : `/${tab}`);

/** The head of the pages that belong to no team. */
export function HomeHead({ tab, actions }: { tab: Tab; actions?: ReactNode }) {
  useCrumbs(tab === 'teams' ? null : { text: tabs[tab], href: hrefOf(tab) });
  return (
    <>
      <PageHead title={tabs[tab]} actions={actions} />
      <Tabs label={pages} texts={tabs} current={tab} at={hrefOf} />
    </>
  );
}
