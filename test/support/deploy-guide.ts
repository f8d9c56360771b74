import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './production.ts';

/** The text of docs/deploy.md. */
export const guide = readFileSync(join(root, 'docs/deploy.md'), 'utf8');

/** The code blocks below a heading, up to the next heading, without the indentation of a list. */
export function blocksBelow(heading: string, language = 'sh'): string[] {
  const [, section] = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ |(?![\\s\\S]))`, 'm').exec(guide) ?? [];
  if (section === undefined) throw new Error(`docs/deploy.md has no heading ${heading}`);
  return [...section.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, indent, block]) => block!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
