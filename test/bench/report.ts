/** Tables in Markdown, laid out to be read in a terminal as well. */
import { cpus, totalmem } from 'node:os';

export type Column<Row> = [heading: string, text: (row: Row) => string];

/** A table with the first column to the left and the others, which are figures, to the right. */
export function columns<Row>(shown: Column<Row>[], rows: Row[]): string {
  const cells = rows.map((row) => shown.map(([, text]) => text(row).replace('NaN', '–')));
  const widths = shown.map(([heading], index) =>
    Math.max(heading.length, ...cells.map((row) => row[index]!.length), 3),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, index) => (index ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!))).join(' | ')} |\n`;
  const rule = widths.map((width, index) => (index ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return line(shown.map(([heading]) => heading)) + line(rule) + cells.map(line).join('');
}

/** A table with its heading, and with the command and the day that it was made. */
export function section(heading: string, table: string, { command }: { command: string }, note = ''): string {
  return `${heading}\n\n${table}\n\`${command}\`, ${today()}. ${note}`.trimEnd().concat('\n');
}

const today = () => new Date().toISOString().slice(0, 10);

/** When and with what the figures were measured, and how long all of it took. */
export function conditions(minutes: number, versions: Record<string, string>): string {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const said = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Measured on ${today()} in ${minutes.toFixed(1)} minutes with ${machine}; ${said.join(', ')}.\n`;
}

/** What is being done, on one line of a terminal that the next one replaces. */
export function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text.endsWith('\n')) process.stderr.write(text);
}
