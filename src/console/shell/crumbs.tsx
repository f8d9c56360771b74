import { Link } from 'wouter';
import { strings } from '../strings.ts';
import type { Crumb } from '../ui/crumbs.ts';
import { TeamSwitcher } from './team-switcher.tsx';

/** Where one is: the team, with a menu of the others, and what it has. */
export function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  const [first, ...rest] = crumbs;
  const team = first?.href.startsWith('/teams/') ? first : undefined;
  return (
    <>
      {team && <CrumbList label={strings.header.team} crumbs={[team]} isPage={rest.length === 0} />}
      <TeamSwitcher current={team?.href} />
      <CrumbList label={strings.header.breadcrumb} crumbs={team ? rest : crumbs} isPage />
    </>
  );
}

/** `isPage`: whether the last one is the page itself. */
function CrumbList({ label, crumbs, isPage }: { label: string; crumbs: readonly Crumb[]; isPage: boolean }) {
  if (crumbs.length === 0) return null;
  return (
    <nav aria-label={label} className="truncate">
      <ol className="crumbs">
        {crumbs.map(({ text, href }, index) => (
          <li key={href}>
            {isPage && index === crumbs.length - 1 ? (
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
