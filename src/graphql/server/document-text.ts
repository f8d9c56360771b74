import {
  type DocumentNode,
  type GraphQLError,
  type ParseOptions,
  parse,
  Source,
  type SourceLocation,
} from 'graphql';

interface Text {
  text: string;
  /** Where its lines begin. */
  lines?: number[];
}

const texts = new WeakMap<Source, Text>();

/**
 * Parses a document. Its source has no text afterwards, in which each error would count the lines up to its place: `withLocations`
 * counts them once for all errors of the document.
 */
export function parseText(text: string, options?: ParseOptions): DocumentNode {
  const source = new Source(text);
  const document = parse(source, options);
  texts.set(source, { text });
  source.body = '';
  return document;
}

/** The text of a document that `parseText` has parsed. */
export const textOf = ({ loc }: DocumentNode): string => texts.get(loc!.source)!.text;

/** An error with the lines and columns of its positions in a document. */
export function withLocations(error: GraphQLError): GraphQLError {
  const { source, positions } = error;
  const text = source && texts.get(source);
  return text && positions
    ? Object.assign(error, { locations: positions.map((position) => locationIn(text, position)) })
    : error;
}

function locationIn(text: Text, position: number): SourceLocation {
  text.lines ??= [
    0,
    ...[...text.text.matchAll(/\r\n|[\n\r]/g)].map(({ 0: end, index }) => index + end.length),
  ];
  const { lines } = text;
  let [line, after] = [0, lines.length];
  while (after - line > 1) {
    const middle = (line + after) >> 1;
    if (lines[middle]! <= position) line = middle;
    else after = middle;
  }
  return { line: line + 1, column: position - lines[line]! + 1 };
}
