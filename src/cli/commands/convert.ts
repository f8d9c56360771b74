import { basename, dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import { convertCompose } from '../../convert/compose/convert.ts';
import { linesOf, needDecision, summaryOf } from '../../convert/notes.ts';
import { readYaml } from '../../convert/yaml.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { filesBelow } from '../folder.ts';
import { writeWhole } from '../out.ts';
import { note, plain } from '../show.ts';
import { textOf } from '../text.ts';

/**
 * Converts a Compose file to a manifest. What is not taken over as it is is listed on standard error. Returns whether the exit status
 * is that of a success.
 */
export async function convert(
  context: Context,
  file: string,
  options: { application?: string; out?: string; json?: boolean; strict?: boolean },
): Promise<boolean> {
  const [parsed = null] = readYaml(await textOf(context, file), file);
  if (typeof parsed !== 'object' || parsed === null || !('services' in parsed)) {
    throw new Failure(`${file} is not a Compose file: it has no services.`);
  }
  const folder = dirname(resolve(file));
  const { name } = parsed;
  const application = options.application ?? (typeof name === 'string' && name ? name : basename(folder));
  const { manifest, notes } = convertCompose(parsed, filesBelow(folder), application, context.env);
  const document = options.json
    ? `${JSON.stringify({ manifest, notes }, null, 2)}\n`
    : stringify(manifest, { lineWidth: 0 });
  if (options.out) await writeWhole(options.out, document);
  else context.stdout.write(document);
  note(context, plain(summaryOf(notes, Object.keys(manifest.components).length, 'service')));
  for (const line of linesOf(notes)) note(context, plain(line));
  return !(options.strict && needDecision(notes));
}
