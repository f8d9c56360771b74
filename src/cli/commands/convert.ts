import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { convertCompose } from '../../convert/compose/convert.ts';
import { linesOf, needDecision, summaryOf } from '../../convert/notes.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { filesBelow } from '../folder.ts';
import { writeWhole } from '../out.ts';
import { note, plain } from '../show.ts';
import { textOf } from '../text.ts';

/** The names that Compose looks for, and for a file that overrides it. */
const defaultName = /^((?:docker-)?compose)\.ya?ml$/;

/** A file with the override beside it, as Compose reads it where it is not told which files to read. */
function withOverride(file: string): string[] {
  const [, stem] = defaultName.exec(basename(file)) ?? [];
  if (!stem) return [file];
  const folder = dirname(file);
  const names = new Set(readdirSync(folder));
  const override = [`${stem}.override.yml`, `${stem}.override.yaml`].find((name) => names.has(name));
  return override ? [file, join(folder, override)] : [file];
}

interface ConvertOptions {
  file?: string[];
  application?: string;
  profile?: string[];
  out?: string;
  json?: boolean;
  strict?: boolean;
}

/** Converts Compose files to a manifest. What is not taken over as it is is listed on standard error. Whether all could be is returned. */
export async function convert(
  context: Context,
  file: string | undefined,
  options: ConvertOptions,
): Promise<boolean> {
  if (Boolean(file) === Boolean(options.file))
    throw new Failure('Name one Compose file, or several with -f.');
  const named = options.file ?? [file!];
  const texts = await Promise.all(named.map((each) => textOf(context, each)));
  const others = file && file !== '-' ? withOverride(file).slice(1) : [];
  const sources = [
    ...named.map((name, index) => ({ name: name === '-' ? 'Standard input' : name, text: texts[index]! })),
    ...(await Promise.all(others.map(async (name) => ({ name, text: await textOf(context, name) })))),
  ];
  const folder = named[0] === '-' ? resolve('.') : dirname(resolve(named[0]!));
  const { manifest, notes } = convertCompose({
    sources,
    files: filesBelow(folder),
    folder,
    env: context.env,
    profiles: options.profile,
    application: options.application,
    folderName: basename(folder),
  });
  const document = options.json
    ? `${JSON.stringify({ manifest, notes }, null, 2)}\n`
    : stringify(manifest, { lineWidth: 0 });
  if (options.out) await writeWhole(options.out, document);
  else context.stdout.write(document);
  const count = Object.keys(manifest.components).length;
  note(context, plain(summaryOf(notes, count, 'service')));
  for (const line of linesOf(notes)) note(context, plain(line));
  return !(options.strict && needDecision(notes));
}
