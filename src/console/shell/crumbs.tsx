import { createContext, useContext, useEffect } from 'react';
import { Link } from 'wouter';
import { strings } from '../strings.ts';

export interface Crumb {
  text: string;
  href: string;
}

export const CrumbsContext = createContext<(crumbs: readonly Crumb[]) => void>(() => {});

/** Tells where a page is in the tree, from the top; the last one is the page itself and names the window. */
export function useCrumbs(...crumbs: (Crumb | null | undefined)[]): void {
  const show = useContext(CrumbsContext);
  const known = JSON.stringify(crumbs.filter(Boolean));
  useEffect(() => {
    const given = JSON.parse(known) as Crumb[];
    show(given);
    document.title = [...given.map(({ text }) => text).reverse(), strings.product].join(' · ');
  }, [known, show]);
}

export function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label={strings.header.breadcrumb} className="truncate">
      <ol className="crumbs">
        {crumbs.map(({ text, href }, index) => (
          <li key={href}>
            {index === crumbs.length - 1 ? (
              <span aria-current="page">{text}</span>
            ) : (
              <Link href={href}>{text}</Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
