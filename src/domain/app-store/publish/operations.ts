import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { change } from '../../../db/write/change.ts';
import { type AppTemplate, readTemplate } from '../../../drivers/app-store/template.ts';
import { jsonExcess } from '../../../drivers/outgoing/json.ts';
import { InvalidInputError } from '../../../kernel/errors.ts';
import { inSlices } from '../../../kernel/event-loop.ts';
import { countJson } from '../../../kernel/large-json.ts';
import { invalid } from '../../../kernel/validate.ts';
import { requireAdministrator } from '../../user/reads.ts';
import type { PublishTemplate } from '../model.ts';
import { requiredVariablesOf } from '../required-reads.ts';
import { setPublished } from './rows.ts';

/** Parses a template to publish. It is input of the caller, so errors are INVALID_INPUT. */
async function parseInput(context: Pick<Context, 'budget' | 'signal'>, text: string): Promise<AppTemplate> {
  const at = ['input', 'template'];
  const excess = jsonExcess(text);
  if (excess) throw invalid(at, excess);
  countJson(context.budget, text.length);
  let form: unknown;
  try {
    form = JSON.parse(text);
  } catch {
    // The parser's message would quote the text.
    throw invalid(at, 'Must be JSON');
  }
  const read = await inSlices(readTemplate(form), context.signal);
  if (!read.issues) return read.template;
  throw new InvalidInputError(read.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] })));
}

/** Publishes a version of a template, or replaces it. */
export async function publishTemplate(
  context: Context,
  input: PublishTemplate,
): Promise<{ template: Row<'PublishedTemplate'>; version: Row<'PublishedVersion'> }> {
  requireAdministrator(context, 'publishTemplate');
  const { groupKey: key, groupName, groupVersion, components } = await parseInput(context, input.template);
  const requiredVariables = requiredVariablesOf(components);
  return change(
    context,
    'template.publish',
    (write) => setPublished(write, { key, groupName, groupVersion, teamId: null, requiredVariables }, input),
    () => `Another request published the template ${groupName} at the same time. Try again.`,
  );
}
