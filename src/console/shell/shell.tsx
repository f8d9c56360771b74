import { type ReactNode, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { fixed } from '../api/client.ts';
import { ViewContext, type ViewRequest } from '../api/view.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { strings } from '../strings.ts';
import { type Crumb, CrumbsContext } from '../ui/crumbs.ts';
import { AdministratorContext } from '../ui/home-head.tsx';
import { Logo } from '../ui/icons.tsx';
import { Account } from './account.tsx';
import { Crumbs } from './crumbs.tsx';
import { LiveState, LostConnection } from './live-state.tsx';
import { RequestCorner } from './request-corner.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

/** The frame of every page: where one is, whether it is live, who one is, and the request that made the page. */
export function Shell({ search, children }: { search: ReactNode; children: ReactNode }) {
  const [request, setRequest] = useState<ViewRequest>();
  const [crumbs, setCrumbs] = useState<readonly Crumb[]>([]);
  const [{ data }] = useQuery({ query: ViewerQuery, context: fixed, requestPolicy: 'cache-first' });
  useHeadingFocus();
  return (
    <ViewContext value={setRequest}>
      <CrumbsContext value={setCrumbs}>
        <a className="button skip" href="#main">
          {strings.header.skip}
        </a>
        <header className="header">
          <Link className="brand" href="/">
            <Logo />
            <span className="brand-name">{strings.product}</span>
          </Link>
          <Crumbs crumbs={crumbs} />
          <div className="spacer" />
          {search}
          <LiveState />
          <Account request={request} />
        </header>
        <LostConnection />
        <main className="main" id="main">
          <AdministratorContext value={data?.viewer.isAdministrator ?? false}>
            {children}
          </AdministratorContext>
        </main>
        {request && <RequestCorner request={request} />}
      </CrumbsContext>
    </ViewContext>
  );
}
