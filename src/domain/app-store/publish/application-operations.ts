import { randomBytes } from 'node:crypto';
import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import { change } from '../../../db/write/change.ts';
import type { Reading } from '../../../db/write/reading.ts';
import { plannedBefore } from '../../../db/write/recheck.ts';
import { readTemplate, templateLimits } from '../../../drivers/app-store/template.ts';
import { jsonExcess } from '../../../drivers/outgoing/json.ts';
import { sees } from '../../../kernel/access.ts';
import { InvalidInputError } from '../../../kernel/errors.ts';
import { inSlices } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { parseLarge } from '../../../kernel/large-json.ts';
import { invalid } from '../../../kernel/validate.ts';
import { requireApplicationFor } from '../../application/reads.ts';
import { lockComponents } from '../../component/rows.ts';
import { configurationSizes } from '../../component/size/reads.ts';
import { openVariable } from '../../component/variables/reads.ts';
import { requireAdministrator } from '../../user/reads.ts';
import { maxTemplateBytes, type OmittedItem, type PublishApplication } from '../model.ts';
import { requiredVariablesOf } from '../required-reads.ts';
import { formOf, type StandingComponent } from './form-reads.ts';
import { requireChangeableTemplate } from './reads.ts';
import { setPublished } from './rows.ts';

const at = ['input', 'application'];

const tooLarge = () => invalid(at, 'Is too large for a template');

/** The components of an application with their parts, which are locked. INVALID_INPUT if a template cannot hold them. */
async function standingComponents(
  write: Reading<Context>,
  applicationId: number,
): Promise<StandingComponent[]> {
  const { tx, context } = write;
  const found = await findByKeys(write, 'Component', 'applicationId', [applicationId], ['id'], {
    fields: ['id'],
  });
  if (found.length === 0) throw invalid(at, 'Has no components');
  if (found.length > templateLimits.components) {
    throw invalid(at, `Must have at most ${templateLimits.components} components`);
  }
  const ids = found.map(({ id }) => id);
  const rows = await lockComponents(write, ids);
  // Before they are read: what a template cannot hold can take more memory than there is.
  const sizes = await configurationSizes(context.db, (text, params) => tx.$read(text, params), ids);
  if ([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) > maxTemplateBytes) throw tooLarge();
  const of = ({ componentId }: { componentId: string }) => componentId;
  const ports = groupBy(await findByKeys(write, 'Port', 'componentId', ids, ['number']), of);
  const variables = groupBy(await findByKeys(write, 'EnvironmentVariable', 'componentId', ids, ['name']), of);
  const volumes = groupBy(await findByKeys(write, 'Volume', 'componentId', ids, ['name']), of);
  const schedules = groupBy(await findByKeys(write, 'Schedule', 'componentId', ids, ['name']), of);
  const volumeIds = [...volumes.values()].flat().map(({ id }) => id);
  const snapshotted = new Set(
    (await findByKeys(write, 'SnapshotSchedule', 'volumeId', volumeIds, ['volumeId'])).map(
      ({ volumeId }) => volumeId,
    ),
  );
  const dependencies = groupBy(
    await findByKeys(write, 'ComponentDependency', 'componentId', ids, ['componentId', 'dependencyId']),
    of,
  );
  const http = groupBy(await findByKeys(write, 'HttpRule', 'componentId', ids, ['id']), of);
  const tcp = groupBy(await findByKeys(write, 'TcpRule', 'componentId', ids, ['id']), of);
  return rows
    .sort((one, other) =>
      one.name < other.name ? -1 : one.name > other.name ? 1 : one.id < other.id ? -1 : 1,
    )
    .map((row) => ({
      row,
      ports: ports.get(row.id) ?? [],
      variables: (variables.get(row.id) ?? []).map((each) => openVariable(context.seal, each)),
      volumes: volumes.get(row.id) ?? [],
      schedules: (schedules.get(row.id) ?? []).map(({ name }) => name),
      snapshotSchedules: (volumes.get(row.id) ?? [])
        .filter(({ id }) => snapshotted.has(id))
        .map(({ name }) => name),
      dependencyIds: (dependencies.get(row.id) ?? []).map(({ dependencyId }) => dependencyId),
      httpRules: http.get(row.id) ?? [],
      tcpRules: tcp.get(row.id) ?? [],
    }));
}

/** Whether the caller may see a component of another application that components depend on. */
async function visibleDependencies(
  reading: Reading<Context>,
  components: readonly StandingComponent[],
): Promise<(id: string) => boolean> {
  const { actor } = reading.context;
  if (!actor.isPartial) return () => true;
  const ids = [...new Set(components.flatMap(({ dependencyIds }) => dependencyIds))];
  const rows = await findByKeys(reading, 'Component', 'id', ids, ['id'], {
    fields: ['id', 'teamId', 'applicationId'],
  });
  const visible = rows.filter(({ id: componentId, ...place }) => sees(actor, { ...place, componentId }));
  const visibleIds = new Set(visible.map(({ id }) => id));
  return (id) => visibleIds.has(id);
}

/** The catalogue to publish to, and the template to add a version to, for a caller who may do so. */
async function requireCatalogue(context: Context, input: PublishApplication, team: Row<'Team'>) {
  const what = 'publish to the catalogue of the enterprise';
  // A template is everyone's who installs it: who may change one application may not change what others get.
  const template = input.template
    ? await requireChangeableTemplate(context, input.template, 'publishApplication', what)
    : null;
  const given = template && (template.teamId === null ? 'enterprise' : 'team');
  const catalogue = input.catalogue ?? given ?? 'team';
  const teamId = catalogue === 'team' ? team.id : null;
  if (template && template.teamId !== teamId) {
    throw invalid(['input', 'template'], 'Must be in the target catalogue');
  }
  if (teamId === null) requireAdministrator(context, 'publishApplication', what);
  return { template, teamId };
}

/** Store clients read at most so many bytes, of an answer that holds the text as a JSON string. */
const isTooLong = (text: string) =>
  Buffer.byteLength(JSON.stringify(text)) > maxTemplateBytes - 65_536 || jsonExcess(text) !== undefined;

/** Publishes an application as it stands as a version of a template. */
export async function publishApplication(
  context: Context,
  input: PublishApplication,
): Promise<{
  template: Row<'PublishedTemplate'>;
  version: Row<'PublishedVersion'>;
  omitted: OmittedItem[];
}> {
  const { application, team } = await requireApplicationFor(context, input.application, 'publishApplication');
  const { template: existing, teamId } = await requireCatalogue(context, input, team);
  const key = existing?.key ?? randomBytes(16).toString('hex');
  const groupName = input.name ?? existing?.name ?? application.name;
  const planned = plannedBefore(context, async (reading: Reading<Context>) => {
    const components = await standingComponents(reading, application.id);
    const { omitted, ...parts } = formOf(components, await visibleDependencies(reading, components));
    const form = {
      group_key: key,
      group_name: groupName,
      group_version: input.version,
      governance_mode: application.governanceMode,
      ...parts,
    };
    const text = JSON.stringify(form);
    if (isTooLong(text)) throw tooLarge();
    // It is stored as well.
    context.budget?.reserve(text.length * 2);
    const read = await inSlices(readTemplate(parseLarge(context, text)), context.signal);
    if (read.issues) {
      throw new InvalidInputError(
        read.issues.map(({ path, message }) => ({ path: at, message: `${path.join('.')}: ${message}` })),
      );
    }
    return { omitted, text, requiredVariables: requiredVariablesOf(read.template.components) };
  });
  return change(
    context,
    'template.publish',
    async (write) => {
      const { omitted, text, requiredVariables } = await planned.within(write);
      const published = await setPublished(
        write,
        { key, groupName, groupVersion: input.version, teamId, requiredVariables },
        { ...input, name: groupName, template: text },
      );
      if (published.isChanged) {
        write.recordEvent({
          action: 'application.publish',
          subject: { type: 'Application', id: application.id },
          teamId: team.id,
          after: { template: key, version: input.version },
        });
      }
      return { ...published, omitted };
    },
    () => `Another request published the version ${input.version} at the same time. Try again.`,
    planned.prepare,
  );
}
