import { createContext, useContext, useEffect } from 'react';
import { strings } from '../strings.ts';

export interface Crumb {
  text: string;
  href: string;
}

export const CrumbsContext = createContext<(crumbs: readonly Crumb[]) => void>(() => {});

/** Sets the breadcrumbs of a page, from the top of the tree. The last one is the page itself, and becomes the title of the window. */
export function useCrumbs(...crumbs: (Crumb | null | undefined)[]): void {
  const show = useContext(CrumbsContext);
  const json = JSON.stringify(crumbs.filter(Boolean));
  useEffect(() => {
    const current = JSON.parse(json) as Crumb[];
    show(current);
    document.title = [...current.map(({ text }) => text).reverse(), strings.product].join(' · ');
  }, [json, show]);
}

interface Application {
  uid: string | number;
  name: string;
  team: { name: string; alias: string };
}

/** The crumbs of an application, once it is known: its team and itself. */
export const applicationCrumbs = (application: Application | null | undefined): Crumb[] =>
  application
    ? [
        { text: application.team.alias, href: `/teams/${encodeURIComponent(application.team.name)}` },
        { text: application.name, href: `/applications/${application.uid}` },
      ]
    : [];
