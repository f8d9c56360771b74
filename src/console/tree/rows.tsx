import type { FragmentOf, VariablesOf } from '../api/graphql.ts';
import type { usePages } from '../api/view.ts';
import {
  type ApplicationRow,
  type ComponentRow,
  MoreApplicationsQuery,
  MoreComponentsQuery,
  MorePortsQuery,
  type PortRow,
  type TeamRow,
} from '../documents/tree.ts';
import { strings } from '../strings.ts';
import { ApplicationIcon, ComponentIcon, PortIcon, TeamIcon } from '../ui/icons.tsx';
import { Status, Tag } from '../ui/status.tsx';
import type { TreeRow } from '../ui/tree-grid.tsx';

const text = strings.tree;

type Pages = ReturnType<typeof usePages>;
/** How the applications of the tree are chosen and ordered. */
export type TreeFilter = Omit<VariablesOf<typeof MoreApplicationsQuery>, 'team' | 'after'>;

interface List {
  totalCount: number;
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
  nodes: readonly unknown[];
}

/** The rest of a list, and how its next page is loaded. */
export function restOf(
  { totalCount, pageInfo, nodes }: List,
  load: (after: string) => void,
): TreeRow['more'] {
  const { hasNextPage, endCursor } = pageInfo;
  if (!hasNextPage || endCursor === null) return undefined;
  return { count: Math.max(1, totalCount - nodes.length), load: () => load(endCursor) };
}

export const teamRow = (team: FragmentOf<typeof TeamRow>, filter: TreeFilter, pages: Pages): TreeRow => ({
  id: team.id,
  href: `/teams/${encodeURIComponent(team.name)}`,
  icon: <TeamIcon />,
  isHeading: true,
  name: <strong>{team.alias}</strong>,
  detail: text.applications(team.applications.totalCount),
  children: team.applications.nodes.map((application) => applicationRow(application, pages)),
  empty: text.noApplications,
  more: restOf(team.applications, (after) =>
    pages.load(MoreApplicationsQuery, { team: { id: team.id }, after, ...filter }),
  ),
});

export const applicationRow = (application: FragmentOf<typeof ApplicationRow>, pages: Pages): TreeRow => ({
  id: application.id,
  href: `/applications/${application.appId}`,
  icon: <ApplicationIcon />,
  name: application.name,
  status: <Status name={application.status} />,
  detail: [text.components(application.components.totalCount), application.region.alias, application.version]
    .filter(Boolean)
    .join(' · '),
  children: application.components.nodes.map((component) => componentRow(component, pages)),
  empty: text.noComponents,
  more: restOf(application.components, (after) =>
    pages.load(MoreComponentsQuery, { application: { id: application.id }, after }),
  ),
});

export const componentRow = (component: FragmentOf<typeof ComponentRow>, pages: Pages): TreeRow => ({
  id: component.id,
  href: `/components/${component.uid}`,
  icon: <ComponentIcon />,
  name: component.name,
  status: <Status name={component.status ?? component.deployState} />,
  detail: (
    <span title={component.image}>
      {nameOfImage(component.image)} · {text.replicas(component.replicas)}
    </span>
  ),
  extra: (
    <>
      {component.ports.nodes.some(({ isOuter }) => isOuter) && <Tag tone="good">{text.outer}</Tag>}
      {component.hasUndeployedChanges && <Tag tone="warn">{text.undeployed}</Tag>}
      {component.isUpgradable && <Tag tone="busy">{text.upgradable}</Tag>}
    </>
  ),
  children: component.ports.nodes.map((port) => portRow(component.uid, port)),
  empty: text.noPorts,
  more: restOf(component.ports, (after) =>
    pages.load(MorePortsQuery, { component: { id: component.id }, after }),
  ),
});

/** The image without its registry, which is long and the same for all. */
const nameOfImage = (image: string) => image.slice(image.lastIndexOf('/') + 1);

const portRow = (uid: string, port: FragmentOf<typeof PortRow>): TreeRow => ({
  id: port.id,
  href: `/components/${uid}/ports/${port.number}`,
  icon: <PortIcon />,
  name: <span className="mono">{port.number}</span>,
  detail: `${port.protocol.toLowerCase()} · ${port.alias}`,
  extra: <PortAccess port={port} />,
});

export function PortAccess({ port }: { port: { isOuter: boolean; isInner: boolean } }) {
  if (!port.isOuter && !port.isInner) return <span className="soft">{text.closed}</span>;
  return (
    <>
      {port.isOuter && <Tag tone="good">{text.outer}</Tag>}
      {port.isInner && <Tag>{text.inner}</Tag>}
    </>
  );
}
