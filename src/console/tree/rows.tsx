import type { FragmentOf, VariablesOf } from '../api/graphql.ts';
import type { Joined, PageStore } from '../api/page-store.ts';
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
import { nameOfImage } from '../ui/image.ts';
import { protocolText } from '../ui/protocol.ts';
import { Status, Tag } from '../ui/status.tsx';
import type { TreeChildren, TreeRow } from '../ui/tree-lines.ts';

const text = strings.tree;

/** How the applications of the tree are chosen and ordered. */
export type TreeFilter = Omit<VariablesOf<typeof MoreApplicationsQuery>, 'by' | 'after'>;

/** The rows of a list, each with the page that it is on. */
export const rowsOf = <Node,>(
  { items, more }: Joined<Node>,
  empty: string,
  rowOf: (node: Node) => TreeRow,
): TreeChildren => ({
  rows: items.map(({ node, page }) => (page === undefined ? rowOf(node) : { ...rowOf(node), page })),
  more,
  empty,
});

type Team = FragmentOf<typeof TeamRow>;

export const teamRow = (team: Team, filter: TreeFilter, pages: PageStore): TreeRow => ({
  id: team.id,
  href: `/teams/${encodeURIComponent(team.name)}`,
  isHeading: true,
  cells: () => ({
    icon: <TeamIcon />,
    name: <strong>{team.alias}</strong>,
    detail: text.applications(team.applications.totalCount),
  }),
  children: () => applicationsOf(team, filter, pages),
});

export const applicationsOf = (team: Team, filter: TreeFilter, pages: PageStore): TreeChildren =>
  rowsOf(
    pages.join(team.applications, {
      document: MoreApplicationsQuery,
      variables: { by: { id: team.id }, ...filter },
      list: (data) => data.team?.applications,
    }),
    text.noApplications,
    (application) => applicationRow(application, pages),
  );

const applicationRow = (application: FragmentOf<typeof ApplicationRow>, pages: PageStore): TreeRow => ({
  id: application.id,
  href: `/applications/${application.uid}`,
  cells: () => ({
    icon: <ApplicationIcon />,
    name: application.name,
    status: <Status name={application.state} />,
    detail: [
      text.components(application.components.totalCount),
      application.region.alias,
      application.version,
    ]
      .filter(Boolean)
      .join(' · '),
  }),
  children: () =>
    rowsOf(
      pages.join(application.components, {
        document: MoreComponentsQuery,
        variables: { by: { id: application.id } },
        list: (data) => data.application?.components,
      }),
      text.noComponents,
      (component) => componentRow(component, pages),
    ),
});

export const componentRow = (component: FragmentOf<typeof ComponentRow>, pages: PageStore): TreeRow => ({
  id: component.id,
  href: `/components/${component.uid}`,
  cells: () => ({
    icon: <ComponentIcon />,
    name: component.name,
    status: <Status name={component.state ?? component.desiredState} />,
    detail: (
      <span title={component.image}>
        {nameOfImage(component.image)} · {text.replicas(component.replicas)}
      </span>
    ),
    extra: (
      <>
        {component.ports.nodes.some(({ isOuter }) => isOuter) && <Tag tone="good">{text.outer}</Tag>}
        {component.hasUndeployedChanges && <Tag tone="warn">{text.undeployed}</Tag>}
      </>
    ),
  }),
  children: () =>
    rowsOf(
      pages.join(component.ports, {
        document: MorePortsQuery,
        variables: { by: { id: component.id } },
        list: (data) => data.component?.ports,
      }),
      text.noPorts,
      (port) => portRow(component.uid, port),
    ),
});

const portRow = (uid: string, port: FragmentOf<typeof PortRow>): TreeRow => ({
  id: port.id,
  href: `/components/${uid}/ports/${port.number}`,
  cells: () => ({
    icon: <PortIcon />,
    name: <span className="mono">{port.number}</span>,
    detail: `${protocolText(port.protocol)} · ${port.alias}`,
    extra: <PortAccess port={port} />,
  }),
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
