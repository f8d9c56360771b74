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

/** The results, the largest objects first. */
export const hitsOf = ({
  teams,
  applications,
  components,
  httpRules,
}: ResultOf<typeof SearchQuery>): Hit[] => [
  ...teams.nodes.map(
    ({ id, name, alias }): Hit => ({
      id,
      kind: 'team',
      href: `/teams/${encodeURIComponent(name)}`,
      name: alias,
      where: '',
      icon: <TeamIcon />,
    }),
  ),
  ...applications.nodes.map(
    ({ id, uid, name, team, region }): Hit => ({
      id,
      kind: 'application',
      href: `/applications/${uid}`,
      name,
      where: `${team.alias} · ${region.alias}`,
      icon: <ApplicationIcon />,
    }),
  ),
  ...components.nodes.map(
    ({ id, uid, name, team, application }): Hit => ({
      id,
      kind: 'component',
      href: `/components/${uid}`,
      name,
      where: `${team.alias} · ${application.name}`,
      icon: <ComponentIcon />,
    }),
  ),
  ...httpRules.nodes.map(
    ({ id, domain, path, application }): Hit => ({
      id,
      kind: 'domain',
      href: `/rules/${id}`,
      name: path === '/' ? domain : domain + path,
      where: `${application.team.alias} · ${application.name}`,
      icon: <GlobeIcon />,
    }),
  ),
];
