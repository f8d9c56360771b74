import type { ReactNode } from 'react';
import type { ResultOf } from '../api/graphql.ts';
import type { SearchQuery } from '../documents/search.ts';
import { strings } from '../strings.ts';
import { ApplicationIcon, ComponentIcon, GlobeIcon, PortIcon, TeamIcon } from '../ui/icons.tsx';
import { type Command, targetOf } from './commands.ts';

const text = strings.search;
type Found = ResultOf<typeof SearchQuery>;

/** Something that a search has found. */
export interface Hit {
  id: string;
  kind: string;
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
  endpoint: <PortIcon />,
};
type Kind = keyof typeof icons;

const hit = (kind: Kind, id: string, href: string, name: string, ...where: string[]): Hit => ({
  id,
  kind: text.kinds[kind],
  href,
  name,
  where: where.join(' · '),
  icon: icons[kind],
});

/** The results, the largest objects first, after what the command among the words does. */
export const hitsOf = (found: Found, typed: string, command: Command | undefined): Hit[] => [
  ...(command ? commandHits(found, typed, command) : []),
  ...found.teams.nodes.map(({ id, name, alias }) =>
    hit('team', id, `/teams/${encodeURIComponent(name)}`, alias),
  ),
  ...exactFirst(found.applications.nodes, typed).map(({ id, uid, name, team, region }) =>
    hit('application', id, `/applications/${uid}`, name, team.alias, region.alias),
  ),
  ...exactFirst(found.components.nodes, typed).map(({ id, uid, name, image, team, application }) => {
    const where = [team.alias, application.name];
    const isShown = isIn([name, ...where].join(' '));
    const isByImage = typed.split(/\s+/).some((word) => !isShown(word) && isIn(image)(word));
    return hit('component', id, `/components/${uid}`, name, ...where, ...(isByImage ? [image] : []));
  }),
  ...found.httpRules.nodes.map(({ id, domain, path, application: { name, team } }) =>
    hit('domain', id, `/rules/${id}`, path === '/' ? domain : domain + path, team.alias, name),
  ),
  ...found.tcpRules.nodes.map(({ id, accessUrl, component, application: { name, team } }) =>
    hit('endpoint', id, `/rules/${id}`, accessUrl, team.alias, name, component.name),
  ),
];

/** Objects whose whole name is one of the words come before others. */
function exactFirst<T extends { name: string }>(objects: readonly T[], typed: string): T[] {
  const words = typed.toLowerCase().split(/\s+/);
  const rank = ({ name }: T) => (words.includes(name.toLowerCase()) ? 0 : 1);
  return [...objects].sort((one, other) => rank(one) - rank(other));
}

const isIn = (content: string) => (word: string) => content.toLowerCase().includes(word.toLowerCase());

function commandHits({ ofApplications, ofComponents }: Found, typed: string, command: Command): Hit[] {
  const objects = [
    ...(ofComponents?.nodes ?? []).map(({ uid, team, application, ...rest }) => ({
      ...rest,
      kind: 'component' as const,
      href: `/components/${uid}`,
      where: [team.alias, application.name],
    })),
    ...(ofApplications?.nodes ?? []).map(({ uid, team, ...rest }) => ({
      ...rest,
      kind: 'application' as const,
      href: `/applications/${uid}`,
      where: [team.alias],
    })),
  ];
  return exactFirst(objects, typed).flatMap(({ id, kind, href, name, where, ...may }) => {
    const target = targetOf(command, kind, href, may);
    if (!target) return [];
    const made = hit(kind, `${id} ${target.label}`, target.href, text.of(target.label, name), ...where);
    return [{ ...made, kind: 'dialog' in command ? text.kinds.action : text.kinds.page }];
  });
}

/** How many were found and are not shown, in words. */
export const restOf = ({ teams, applications, components, httpRules, tcpRules }: Found): string[] =>
  Object.entries({
    team: teams,
    application: applications,
    component: components,
    domain: httpRules,
    endpoint: tcpRules,
  })
    .map(([kind, { totalCount, nodes }]) => text.more(totalCount - nodes.length, kind as Kind))
    .filter((part) => part !== '');
