import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Where the bundle is, in which a chunk has its source map beside it. Elsewhere nothing has one. */
const folder = new URL('./', import.meta.url).href;

const position = /(file:\/\/[^\s()]+?\.js):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | undefined>();

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) maps.set(url, readMap(url));
  return maps.get(url);
}

function readMap(url: string): SourceMap | undefined {
  if (!url.startsWith(folder)) return undefined;
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * A stack trace that names lines of the sources. Node.js can do so for every error, but reads all source maps at the start for
 * it, a tenth of the CPU time of a start. Here they are read when the first error is logged.
 */
export const withSourceLines = (stack: string): string =>
  stack.replace(position, (text, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return text;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${fileURLToPath(new URL(originalSource, url))}:${originalLine + 1}:${originalColumn + 1}`;
  });
