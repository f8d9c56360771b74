import { styleText } from 'node:util';
import type { Context, Output } from './context.ts';
import type { Failure } from './failure.ts';

type Style = 'red' | 'green' | 'yellow' | 'bold' | 'dim';

const isColored = ({ env }: Context, stream: Output) =>
  Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb';

/** Text from the gateway is data: it must not move the cursor or change colors. */
export const plain = (text: string) =>
  text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' ? '↵' : character === '\t' ? ' ' : '\ufffd',
  );

const colored = (context: Context, stream: Output) => (style: Style, text: string) =>
  isColored(context, stream) ? styleText(style, text, { validateStream: false }) : text;

export const style = (context: Context, name: Style, text: string) =>
  colored(context, context.stdout)(name, text);

export function print({ stdout }: Context, text: string): void {
  stdout.write(`${text}\n`);
}

/** Values from the gateway as JSON, which leaves some characters as they are that terminals act on. */
export const jsonOf = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const printJson = (context: Context, value: unknown): void => print(context, jsonOf(value, 2));

/** Progress and notes: what `> file` leaves out. */
export function note({ stderr }: Context, text: string): void {
  stderr.write(`${text}\n`);
}

/** Rows in columns as wide as their widest cell. */
export function table(context: Context, head: string[], rows: (string | number | null)[][]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => plain(String(cell ?? '-'))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row, index) => {
      const line = row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd();
      return index === 0 ? style(context, 'dim', line) : line;
    })
    .join('\n');
}

/** The failure as people read it, with the problems of a document below. */
export function failureText(context: Context, error: Failure): string {
  const paint = colored(context, context.stderr);
  const about = [error.code, error.requestId && `request ${error.requestId}`].filter(Boolean).join(', ');
  const title =
    error.issues.length > 0
      ? `${error.file ?? 'The input'} has ${error.issues.length} ${error.issues.length === 1 ? 'error' : 'errors'}`
      : plain(error.message);
  const lines = error.issues.map(({ path, message, line, column }) => {
    const where = line === undefined ? '' : `${error.file ?? 'document'}:${line}:${column}: `;
    const name = path.filter((part) => part !== 'input' && part !== 'document').join('.');
    return `  ${plain(`${where}${name ? `${name}: ${message}` : message}`)}`;
  });
  return [`${paint('red', 'error')}: ${title}${about ? ` (${plain(about)})` : ''}`, ...lines].join('\n');
}

/** The beginning of the digest of an image. */
export const shortDigest = (digest: string): string => plain(digest.replace(/^\w+:/, '').slice(0, 12));
