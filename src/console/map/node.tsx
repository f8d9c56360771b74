import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { strings } from '../strings.ts';
import { GlobeIcon } from '../ui/icons.tsx';
import { protocolText } from '../ui/protocol.ts';
import { Status } from '../ui/status.tsx';
import type { MapComponent, MapNode, MapPort } from './graph.ts';

export type FlowNode = Node<{ node: MapNode }>;

const text = strings.map;

/** A component in one line: its image tag and its size. */
export const detailOf = ({ version, replicas }: MapComponent) => `${version} · × ${replicas}`;

/** How a port is open, in words. */
export const opennessOf = ({ isInner, isOuter }: MapPort) =>
  isOuter ? text.openOutside : isInner ? text.openInside : text.closed;

/** One node of the map. Its contents change without the map being laid out again. */
export const MapNodeView = memo(({ data: { node } }: NodeProps<FlowNode>) => (
  <>
    <Handle
      type="target"
      position={Position.Left}
      isConnectableStart={false}
      isConnectable={node.component !== undefined}
    />
    <Handle
      type="source"
      position={Position.Right}
      isConnectable={node.component?.mayConnect ?? false}
      title={node.component?.mayConnect ? text.connect : undefined}
    />
    {node.component ? <ComponentBody component={node.component} /> : <PlainBody node={node} />}
  </>
));

function ComponentBody({ component }: { component: MapComponent }) {
  const ports = component.ports.nodes;
  return (
    <>
      <div className="map-head">
        <div className="truncate map-name">{component.name}</div>
        <div className="map-detail">
          <Status name={component.state ?? 'UNKNOWN'} />
          <span className="truncate">{detailOf(component)}</span>
        </div>
      </div>
      {ports.length > 0 && (
        <ul className="map-ports">
          {ports.map((port) => (
            <li key={port.id} className={port.isOuter ? 'outer' : port.isInner ? 'inner' : ''}>
              <span className="mono">{port.number}</span>
              <span>{protocolText(port.protocol)}</span>
              <span className="map-open">{opennessOf(port)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function PlainBody({ node }: { node: MapNode }) {
  return (
    <div className="map-plain">
      {node.kind === 'outside' && <GlobeIcon />}
      <div className="truncate">
        <div className="truncate map-name">{node.name}</div>
        {node.kind === 'elsewhere' && <div className="soft">{text.elsewhere}</div>}
      </div>
    </div>
  );
}
