import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { convertCompose } from '../../convert/compose/convert.ts';
import { convertKubernetes } from '../../convert/kubernetes/manifest.ts';
import { linesOf, needDecision, summaryOf } from '../../convert/notes.ts';
import { type Context, environmentForFiles } from '../context.ts';
import { Failure } from '../failure.ts';
import { filesBelow } from '../folder.ts';
import { writeWhole } from '../out.ts';
import { jsonOf, note, plain } from '../show.ts';
import { textOf } from '../text.ts';

/** The names that Compose looks for, and for a file that overrides it. */
const defaultName = /^((?:docker-)?compose)\.ya?ml$/;

/** The override file that Compose also reads when no files are named. */
function overridesBeside(file: string): string[] {
  const [, stem] = defaultName.exec(basename(file)) ?? [];
  if (!stem) return [];
  const names = new Set(readdirSync(dirname(file)));
  const override = [`${stem}.override.yml`, `${stem}.override.yaml`].find((name) => names.has(name));
  return override ? [join(dirname(file), override)] : [];
}

interface ConvertOptions {
  file?: string[];
  application?: string;
  profile?: string[];
  prefix?: string;
  out?: string;
  json?: boolean;
  strict?: boolean;
  kubernetes?: boolean;
}

/**
 * Converts Compose files, or rendered manifests of Kubernetes, to a manifest, and prints notes on standard error. Returns false if
 * `--strict` is set and something needs a decision.
 */
export async function convert(
  context: Context,
  files: readonly string[],
  options: ConvertOptions,
): Promise<boolean> {
  const { manifest, notes, count, word } = options.kubernetes
    ? await kubernetes(context, [...files, ...(options.file ?? [])], options)
    : await compose(context, files, options);
  const document = options.json
    ? `${jsonOf({ manifest, notes }, 2)}\n`
    : stringify(manifest, { lineWidth: 0 });
  if (options.out) await writeWhole(options.out, document);
  else context.stdout.write(document);
  note(context, plain(summaryOf(notes, count, word)));
  for (const line of linesOf(notes)) note(context, plain(line));
  return !(options.strict && needDecision(notes));
}

async function sourcesOf(context: Context, names: readonly string[]) {
  const texts = await Promise.all(names.map((name) => textOf(context, name)));
  return names.map((name, index) => ({ name: name === '-' ? 'Standard input' : name, text: texts[index]! }));
}

async function kubernetes(
  context: Context,
  names: readonly string[],
  { application, prefix }: ConvertOptions,
) {
  if (prefix !== undefined) throw new Failure('--prefix is for Compose files.');
  const [first] = names;
  if (first === undefined)
    throw new Failure('Specify the files with the manifests, or - for standard input.');
  const folder = first === '-' ? resolve('.') : dirname(resolve(first));
  const sources = await sourcesOf(context, names);
  const converted = convertKubernetes({ sources, application: application ?? basename(folder) });
  return { ...converted, word: 'object' };
}

async function compose(context: Context, [file, ...more]: readonly string[], options: ConvertOptions) {
  if (Boolean(file) === Boolean(options.file) || more.length > 0)
    throw new Failure('Specify one Compose file, or several with -f.');
  const { prefix } = options;
  if (prefix !== undefined && !/^[a-z][a-z0-9-]{0,31}$/.test(prefix))
    throw new Failure(
      'A prefix has lower-case letters, digits and -, begins with a letter, and has at most 32 characters.',
    );
  const named = options.file ?? [file!];
  const others = file && file !== '-' ? overridesBeside(file) : [];
  const sources = await sourcesOf(context, [...named, ...others]);
  const folder = named[0] === '-' ? resolve('.') : dirname(resolve(named[0]!));
  const converted = convertCompose({
    sources,
    files: filesBelow(folder),
    folder,
    env: environmentForFiles(context),
    profiles: options.profile,
    application: options.application,
    prefix,
    folderName: basename(folder),
  });
  return { ...converted, count: Object.keys(converted.manifest.components).length, word: 'service' };
}
