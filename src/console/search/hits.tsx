import type { ReactNode } from 'react';
import type { ResultOf } from '../api/graphql.ts';
import type { SearchQuery } from '../documents/search.ts';
import type { strings } from '../strings.ts';
import { ApplicationIcon, ComponentIcon, GlobeIcon, TeamIcon } from '../ui/icons.tsx';

/** Something that a search has found. */
export interface Hit {
  id: string;
  kind: keyof typeof strings.search.kinds;
  href: string;
  name: string;
  where: string;
  icon: ReactNode;
}

const icons = {
  team: <TeamIcon />,
  application: <ApplicationIcon />,
  component: <ComponentIcon />,
  domain: <GlobeIcon />,
};

const hit = (kind: keyof typeof icons, id: string, href: string, name: string, ...where: string[]): Hit => ({
  id,
  kind,
  href,
  name,
  where: where.join(' · '),
  icon: icons[kind],
});

/** The results, the largest objects first. */
export const hitsOf = ({
  teams,
  applications,
  components,
  httpRules,
}: ResultOf<typeof SearchQuery>): Hit[] => [
  ...teams.nodes.map(({ id, name, alias }) => hit('team', id, `/teams/${encodeURIComponent(name)}`, alias)),
  ...applications.nodes.map(({ id, uid, name, team, region }) =>
    hit('application', id, `/applications/${uid}`, name, team.alias, region.alias),
  ),
  ...components.nodes.map(({ id, uid, name, team, application }) =>
    hit('component', id, `/components/${uid}`, name, team.alias, application.name),
  ),
  ...httpRules.nodes.map(({ id, domain, path, application: { name, team } }) =>
    hit('domain', id, `/rules/${id}`, path === '/' ? domain : domain + path, team.alias, name),
  ),
];
