import { createContext, type ReactNode, useContext } from 'react';
import { strings } from '../strings.ts';
import { PageHead, Tabs } from './blocks.tsx';
import { useCrumbs } from './crumbs.ts';

const { tabs, pages } = strings.home;
type Tab = keyof typeof tabs;

const hrefOf = (tab: string) => (tab === 'teams' ? '/' : `/${tab}`);

/** Whether the viewer is an administrator of the enterprise, who alone may read its record. */
export const AdministratorContext = createContext(false);

/** The head of the pages that belong to no team. */
export function HomeHead({ tab, actions }: { tab: Tab; actions?: ReactNode }) {
  useCrumbs(tab === 'teams' ? null : { text: tabs[tab], href: hrefOf(tab) });
  const isAdministrator = useContext(AdministratorContext);
  const { record, ...others } = tabs;
  return (
    <>
      <PageHead title={tabs[tab]} actions={actions} />
      <Tabs label={pages} texts={isAdministrator ? tabs : others} current={tab} at={hrefOf} />
    </>
  );
}
