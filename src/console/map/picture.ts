import { strings } from '../strings.ts';
import { protocolText } from '../ui/protocol.ts';
import type { MapGraph, MapNode } from './graph.ts';
import { type Box, type Layout, pathOf, portY, shortLabel, size } from './layout.ts';
import { detailOf, opennessOf } from './node.tsx';

const colors = {
  page: '#ffffff',
  text: '#171c24',
  soft: '#566070',
  line: '#c9d0da',
  edge: '#8b97a8',
  rule: '#0b68cb',
} as const;

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const words = (x: number, y: number, text: string, more = '') =>
  `<text x="${x}" y="${y}" ${more}>${escaped(text)}</text>`;

/** As many letters as fit, at about the width of a letter. */
const fitted = (text: string, width: number, letter: number) => {
  const count = Math.floor(width / letter);
  return text.length <= count ? text : `${text.slice(0, count - 1)}…`;
};

/** The map as a picture of its own, drawn from the layout, that needs no style sheet. */
export function pictureOf(title: string, graph: MapGraph, layout: Layout): string {
  const [width, height] = [Math.ceil(layout.width), Math.ceil(layout.height)];
  const edges = graph.edges.flatMap((edge) => {
    const route = layout.routes.get(edge.id);
    if (!route) return [];
    const color = edge.kind === 'rule' ? colors.rule : colors.edge;
    const dash = edge.isPublished === false ? ' stroke-dasharray="5 4"' : '';
    const { label } = route;
    return [
      `<path d="${pathOf(route.points)}" fill="none" stroke="${color}" stroke-width="1.5"${dash} marker-end="url(#${edge.kind})"/>`,
      ...(label && edge.label
        ? [
            `<rect x="${label.x}" y="${label.y}" width="${label.width}" height="${label.height}" rx="5" fill="${colors.page}" stroke="${colors.line}"/>`,
            words(
              label.x + label.width / 2,
              label.y + label.height / 2 + 4,
              shortLabel(edge.label),
              'font-size="12" text-anchor="middle"',
            ),
          ]
        : []),
    ];
  });
  const nodes = graph.nodes.flatMap((node) => {
    const box = layout.boxes.get(node.id);
    return box ? nodeLines(node, box) : [];
  });
  const arrow = (kind: string, color: string) =>
    `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${color}"/></marker>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" fill="${colors.text}">`,
    `<title>${escaped(title)}</title>`,
    `<defs>${arrow('rule', colors.rule)}${arrow('dependency', colors.edge)}</defs>`,
    `<rect width="100%" height="100%" fill="${colors.page}"/>`,
    ...edges,
    ...nodes,
    '</svg>',
  ].join('\n');
}

function nodeLines(node: MapNode, { x, y, width, height }: Box): string[] {
  const dash = node.kind === 'component' ? '' : ' stroke-dasharray="5 4"';
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="9" fill="${colors.page}" stroke="${colors.line}"${dash}/>`;
  const name = fitted(node.name, width - 24, 7.4);
  if (!node.component)
    return [frame, words(x + 12, y + height / 2 + 5, name, 'font-size="13.5" font-weight="600"')];
  const { component } = node;
  const status = strings.status[component.state ?? 'UNKNOWN'];
  return [
    frame,
    words(x + 12, y + 24, name, 'font-size="13.5" font-weight="600"'),
    words(
      x + 12,
      y + 44,
      fitted(`${status} · ${detailOf(component)}`, width - 24, 6.4),
      `font-size="12" fill="${colors.soft}"`,
    ),
    ...component.ports.nodes.flatMap((port, index) => [
      words(x + 12, y + portY(index) + 4, `${port.number} ${protocolText(port.protocol)}`, 'font-size="12"'),
      words(
        x + width - 12,
        y + portY(index) + 4,
        opennessOf(port),
        `font-size="12" text-anchor="end" fill="${port.isOuter ? colors.rule : colors.soft}"`,
      ),
    ]),
    ...(component.ports.nodes.length > 0
      ? [`<path d="M${x} ${y + size.head - 2}h${width}" stroke="${colors.line}"/>`]
      : []),
  ];
}
