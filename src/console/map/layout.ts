import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import ElkApi from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { MapEdge, MapGraph, MapNode } from './graph.ts';

/** The measures of nodes, in pixels. The styles of the nodes and the exported picture use the same. */
export const size = { width: 236, head: 58, port: 24, foot: 5, outside: 132, low: 44 } as const;

export interface Point {
  x: number;
  y: number;
}
export interface Box extends Point {
  width: number;
  height: number;
}

/** Where everything is. */
export interface Layout {
  width: number;
  height: number;
  boxes: ReadonlyMap<string, Box>;
  /** The points of each edge, and where its label is. */
  routes: ReadonlyMap<string, { points: Point[]; label?: Box }>;
}

const portsOf = ({ component }: MapNode) => component?.ports.nodes ?? [];

function heightOf(node: MapNode): number {
  if (node.kind !== 'component') return size.low;
  const ports = portsOf(node).length;
  return size.head + (ports > 0 ? ports * size.port + size.foot : 0);
}
const widthOf = ({ kind }: MapNode) => (kind === 'outside' ? size.outside : size.width);
/** The middle of a port of a component, below the top of the component. */
export const portY = (index: number) => size.head + size.port * (index + 0.5);

const maxLabel = 44;
/** The label as it is shown: the ends of an address tell more than its middle. */
export const shortLabel = (text: string) =>
  text.length <= maxLabel ? text : `${text.slice(0, maxLabel - 15)}…${text.slice(-14)}`;

// elkjs takes long enough for large applications to be noticed, so it works beside the page.
let elk: ELK | undefined;
const engine = () => {
  elk ??= new ElkApi({ workerFactory: () => new Worker(workerUrl) });
  return elk;
};

/** The input of the layout. As long as it stays the same, nothing moves. */
export const shapeOf = ({ nodes, edges }: MapGraph) =>
  JSON.stringify([
    nodes.map((node) => [node.id, portsOf(node).map(({ id }) => id)]),
    edges.map(({ id, label }) => [id, label]),
  ]);

/** Places the nodes in layers from left to right, and the edges between them. */
export async function layoutOf(graph: MapGraph): Promise<Layout> {
  const root: ElkNode = {
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.spacing.nodeNode': '26',
      'elk.spacing.edgeNode': '18',
      'elk.spacing.edgeEdge': '12',
      'elk.layered.spacing.nodeNodeBetweenLayers': '70',
      'elk.layered.spacing.edgeNodeBetweenLayers': '22',
      'elk.layered.considerModelOrder.strategy': 'PREFER_EDGES',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.layered.mergeEdges': 'false',
      'elk.aspectRatio': '1.7',
      'elk.padding': '[top=24,left=24,bottom=24,right=24]',
    },
    children: graph.nodes.map(elkNode),
    edges: graph.edges.map(elkEdge),
  };
  const placed = await engine().layout(root);
  return {
    width: placed.width ?? 0,
    height: placed.height ?? 0,
    boxes: new Map((placed.children ?? []).map((node) => [node.id, boxOf(node)])),
    routes: new Map(
      (placed.edges ?? []).map((edge) => {
        const [label] = edge.labels ?? [];
        return [edge.id, { points: pointsOf(edge), ...(label && { label: boxOf(label) }) }];
      }),
    ),
  };
}

function elkNode(node: MapNode): ElkNode {
  const [width, height] = [widthOf(node), heightOf(node)];
  const at = (id: string, x: number, y: number) => ({ id: `${node.id} ${id}`, x, y, width: 0, height: 0 });
  const middle = node.kind === 'component' ? size.head / 2 : height / 2;
  return {
    id: node.id,
    width,
    height,
    layoutOptions: {
      'elk.portConstraints': 'FIXED_POS',
      ...(node.kind === 'outside' && { 'elk.layered.layering.layerConstraint': 'FIRST' }),
    },
    ports: [
      at('in', 0, middle),
      at('out', width, middle),
      ...portsOf(node).map(({ id }, index) => at(id, 0, portY(index))),
    ],
  };
}

function elkEdge({ id, source, target, port, label }: MapEdge): ElkExtendedEdge {
  return {
    id,
    sources: [`${source} out`],
    targets: [`${target} ${port ?? 'in'}`],
    ...(label && {
      labels: [
        {
          text: label,
          width: shortLabel(label).length * 6.7 + 14,
          height: 20,
          layoutOptions: { 'elk.edgeLabels.inline': 'true' },
        },
      ],
    }),
  };
}

const boxOf = ({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box => ({ x, y, width, height });

const pointsOf = ({ sections = [] }: ElkExtendedEdge): Point[] =>
  sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]);

/** A path with round corners through the points. */
export function pathOf(points: readonly Point[], radius = 8): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (!before) return `M${point.x} ${point.y}`;
      if (!after) return `L${point.x} ${point.y}`;
      const enter = towards(point, before, radius);
      const leave = towards(point, after, radius);
      return `L${enter.x} ${enter.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`;
    })
    .join('');
}

/** The point that is `distance` from one towards another, or half of the way. */
function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(distance / length, 0.5);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
