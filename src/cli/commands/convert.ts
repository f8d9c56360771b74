import { basename, dirname, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { convertCompose } from '../../convert/compose/convert.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { filesBelow } from '../folder.ts';
import { writeWhole } from '../out.ts';
import { note, plain, printJson } from '../show.ts';
import { textOf } from '../text.ts';

/** Converts a Compose file to a manifest. What could not be converted is listed on standard error. */
export async function convert(
  context: Context,
  file: string,
  options: { application?: string; out?: string; json?: boolean },
): Promise<void> {
  const text = await textOf(context, file);
  let parsed: unknown;
  try {
    parsed = parse(text, { merge: true, maxAliasCount: 1_000 });
  } catch (error) {
    throw new Failure(`${file} is not YAML: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || !('services' in parsed)) {
    throw new Failure(`${file} is not a Compose file: it has no services.`);
  }
  const folder = dirname(resolve(file));
  const { name } = parsed as { name?: unknown };
  const application = options.application ?? (typeof name === 'string' && name ? name : basename(folder));
  const { manifest, leftOut } = convertCompose(parsed, filesBelow(folder), application, context.env);
  const document = options.json
    ? `${JSON.stringify(manifest, null, 2)}\n`
    : stringify(manifest, { lineWidth: 0 });
  if (options.out) await writeWhole(options.out, document);
  else if (options.json) printJson(context, manifest);
  else context.stdout.write(document);
  for (const { service, key, reason } of leftOut) {
    note(context, plain(`not converted: ${service === null ? '' : `${service}.`}${key}: ${reason}`));
  }
}
