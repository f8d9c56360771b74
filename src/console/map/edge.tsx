import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { MapEdge } from './graph.ts';
import { type Box, type Point, pathOf, shortLabel } from './layout.ts';

export type FlowEdge = Edge<{ edge: MapEdge; points: Point[]; label?: Box }>;

/** An edge along the route that the layout found for it. */
export const MapEdgeView = memo(({ id, data, markerEnd }: EdgeProps<FlowEdge>) => {
  if (!data) return null;
  const { edge, points, label } = data;
  return (
    <g className={`map-edge ${edge.kind}${edge.isPublished === false ? ' unpublished' : ''}`}>
      <BaseEdge id={id} path={pathOf(points)} markerEnd={markerEnd} />
      {label && edge.label && (
        <g className="map-label">
          <title>{edge.label}</title>
          <rect x={label.x} y={label.y} width={label.width} height={label.height} rx="5" />
          <text x={label.x + label.width / 2} y={label.y + label.height / 2 + 4} textAnchor="middle">
            {shortLabel(edge.label)}
          </text>
        </g>
      )}
    </g>
  );
});
