import '@xyflow/react/dist/base.css';
import {
  Controls,
  MarkerType,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  useStore,
} from '@xyflow/react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { strings } from '../strings.ts';
import { Loading, Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { download } from '../ui/download.ts';
import { type FlowEdge, MapEdgeView } from './edge.tsx';
import { graphOf, type MapApplication, type MapGraph, type MapNode } from './graph.ts';
import { type Layout, layoutOf, shapeOf } from './layout.ts';
import { type FlowNode, MapNodeView } from './node.tsx';
import { pictureOf } from './picture.ts';

const text = strings.map;
const nodeTypes = { map: MapNodeView };
const edgeTypes = { map: MapEdgeView };
/** The whole of a map is shown at first, on a phone as well. */
const fit = { padding: 0.03, minZoom: 0.1, maxZoom: 1 };
/** The height of a map is that of what it shows, within these bounds and those of the window. */
const [minHeight, maxHeight] = [320, 900];

interface Props {
  application: MapApplication;
  selected: string | undefined;
  select(id: string | undefined): void;
  /** Called when a line was drawn from a component to the one that it should depend on. */
  connect(source: string, target: string): void;
}

/** The map of an application. Loaded when it is first shown, because the graph is large. */
export default function ApplicationMap({ application, selected, select, connect }: Props) {
  const graph = useMemo(() => graphOf(application, text.outside), [application]);
  const { layout, hasFailed } = useLayout(graph);
  if (hasFailed) return <Notice tone="bad">{text.failed}</Notice>;
  if (!layout) return <Loading rows={8} />;
  return (
    <ReactFlowProvider>
      <Canvas
        name={application.name}
        graph={graph}
        layout={layout}
        selected={selected}
        select={select}
        connect={connect}
      />
    </ReactFlowProvider>
  );
}

/** The layout of the graph. The last one stays until a graph of another shape is laid out. */
function useLayout(graph: MapGraph): { layout?: Layout; hasFailed: boolean } {
  const shape = shapeOf(graph);
  const [layout, setLayout] = useState<Layout>();
  const [hasFailed, setFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the layout depends on the shape alone
  useEffect(() => {
    let isCurrent = true;
    layoutOf(graph).then(
      (found) => isCurrent && setLayout(found),
      () => isCurrent && setFailed(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [shape]);
  return { layout, hasFailed };
}

interface CanvasProps extends Pick<Props, 'selected' | 'select' | 'connect'> {
  name: string;
  graph: MapGraph;
  layout: Layout;
}

function Canvas({ name, graph, layout, selected, select, connect }: CanvasProps) {
  const root = useRef<HTMLElement>(null);
  const flow = useRef<ReactFlowInstance<FlowNode, FlowEdge>>(null);
  const nodes = useNodes(graph, layout, selected);
  const edges = useEdges(graph, layout);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  // biome-ignore lint/correctness/useExhaustiveDependencies: all of it is shown when it has moved or the place for it has changed
  useEffect(() => void flow.current?.fitView({ ...fit, duration: 150 }), [layout, width, height]);

  return (
    <section
      ref={root}
      className="card map"
      aria-label={text.label(name)}
      style={{ height: `min(${Math.min(maxHeight, Math.max(minHeight, layout.height + 20))}px, 72dvh)` }}
      onKeyDown={(event) => {
        const { id } = (event.target as HTMLElement).dataset;
        if (id !== undefined && event.key === 'Enter') select(id);
        else moveFocus(event, root.current, layout);
      }}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={(instance) => {
          flow.current = instance;
        }}
        onNodeClick={(_, { id }) => select(id)}
        onPaneClick={() => select(undefined)}
        nodesDraggable={false}
        nodesConnectable={graph.nodes.some(({ component }) => component?.mayConnect)}
        connectOnClick={false}
        connectionRadius={120}
        isValidConnection={({ source, target }) => source !== target}
        onConnect={({ source, target }) => connect(source, target)}
        edgesFocusable={false}
        zoomOnScroll={false}
        panOnScroll={false}
        preventScrolling={false}
        minZoom={0.1}
        maxZoom={2}
        fitView
        fitViewOptions={fit}
        ariaLabelConfig={{ 'node.a11yDescription.default': text.keys }}
      >
        <Controls showInteractive={false} position="bottom-left" />
        <Panel position="top-right">
          <Button
            look="small"
            onClick={() => download(`${name}.svg`, 'image/svg+xml', pictureOf(name, graph, layout))}
          >
            {text.export}
          </Button>
        </Panel>
      </ReactFlow>
    </section>
  );
}

function labelOf({ kind, name, component }: MapNode): string {
  if (!component) return kind === 'outside' ? name : `${name}, ${text.elsewhere}`;
  const status = strings.status[component.state ?? 'UNKNOWN'];
  return `${name}, ${status}, ${strings.tree.replicas(component.replicas)}, ${component.version}`;
}

/** The nodes for the canvas. One that has not changed stays the same object, so that it is not drawn again. */
function useNodes(graph: MapGraph, layout: Layout, selected: string | undefined): FlowNode[] {
  const nodes = useRef(new Map<string, { key: string; node: FlowNode }>());
  return useMemo(() => {
    const next = new Map<string, { key: string; node: FlowNode }>();
    for (const node of graph.nodes) {
      const box = layout.boxes.get(node.id);
      if (!box) continue;
      const key = JSON.stringify([node, box, selected === node.id]);
      const before = nodes.current.get(node.id);
      if (before?.key === key) {
        next.set(node.id, before);
        continue;
      }
      const { x, y, width, height } = box;
      next.set(node.id, {
        key,
        node: {
          id: node.id,
          type: 'map',
          data: { node },
          position: { x, y },
          width,
          height,
          className: `map-node ${node.kind}`,
          selected: selected === node.id,
          ariaLabel: labelOf(node),
        },
      });
    }
    nodes.current = next;
    return [...next.values()].map(({ node }) => node);
  }, [graph, layout, selected]);
}

function useEdges(graph: MapGraph, layout: Layout): FlowEdge[] {
  return useMemo(
    () =>
      graph.edges.flatMap((edge): FlowEdge[] => {
        const route = layout.routes.get(edge.id);
        if (!route) return [];
        return [
          {
            id: edge.id,
            type: 'map',
            source: edge.source,
            target: edge.target,
            data: { edge, ...route },
            selectable: false,
            markerEnd: {
              type: MarkerType.ArrowClosed,
              width: 16,
              height: 16,
              color: edge.kind === 'rule' ? 'var(--busy)' : 'var(--idle)',
            },
          },
        ];
      }),
    [graph, layout],
  );
}

const arrows: { [key: string]: (dx: number, dy: number) => boolean } = {
  ArrowRight: (dx, dy) => dx > 0 && Math.abs(dy) <= dx * 2,
  ArrowLeft: (dx, dy) => dx < 0 && Math.abs(dy) <= -dx * 2,
  ArrowDown: (dx, dy) => dy > 0 && Math.abs(dx) <= dy,
  ArrowUp: (dx, dy) => dy < 0 && Math.abs(dx) <= -dy,
};

/** Arrow keys move from a node to the nearest one in that direction. */
function moveFocus(event: KeyboardEvent, root: HTMLElement | null, { boxes }: Layout): void {
  const isThere = arrows[event.key];
  const id = (event.target as HTMLElement).dataset.id;
  const from = id === undefined ? undefined : boxes.get(id);
  if (!isThere || !from) return;
  event.preventDefault();
  const middle = (box: typeof from) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const here = middle(from);
  let nearest: { id: string; distance: number } | undefined;
  for (const [other, box] of boxes) {
    const there = middle(box);
    const [dx, dy] = [there.x - here.x, there.y - here.y];
    const distance = Math.hypot(dx, dy);
    if (other !== id && isThere(dx, dy) && distance < (nearest?.distance ?? Infinity)) {
      nearest = { id: other, distance };
    }
  }
  if (!nearest) return;
  root?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(nearest.id)}"]`)?.focus();
}
