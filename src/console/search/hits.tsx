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

/** What was found, the largest things first. */
export function hitsOf({ matching, teams }: ResultOf<typeof SearchQuery>): Hit[] {
  const hits: Hit[] = matching.nodes.map(({ id, name, alias }) => ({
    id,
    kind: 'team',
    href: `/teams/${encodeURIComponent(name)}`,
    name: alias,
    where: '',
    icon: <TeamIcon />,
  }));
  for (const { alias, applications } of teams.nodes) {
    for (const { id, appId, name, region } of applications.nodes) {
      const where = `${alias} · ${region.name}`;
      hits.push({
        id,
        kind: 'application',
        href: `/applications/${appId}`,
        name,
        where,
        icon: <ApplicationIcon />,
      });
    }
  }
  for (const { alias, components } of teams.nodes) {
    for (const { id, uid, name, application } of components.nodes) {
      const where = `${alias} · ${application.name}`;
      hits.push({ id, kind: 'component', href: `/components/${uid}`, name, where, icon: <ComponentIcon /> });
    }
  }
  for (const { alias, httpRules } of teams.nodes) {
    for (const { id, domain, path, application } of httpRules.nodes) {
      const where = `${alias} · ${application.name}`;
      const name = path === '/' ? domain : domain + path;
      hits.push({ id, kind: 'domain', href: `/rules/${id}`, name, where, icon: <GlobeIcon /> });
    }
  }
  return hits;
}
