import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findObject } from '../../graphql/schema/node.ts';
import { batched } from '../../kernel/batch.ts';
import { visibleApplications } from '../team/visible-reads.ts';

/** A field that changed, with its values before and after. */
export interface Change {
  field: string;
  before: unknown;
  after: unknown;
}

type Reference = readonly [type: string, id: unknown];

const component = (id: unknown): Reference => ['Component', id];
const application = (id: unknown): Reference => ['Application', id];

interface StoredGrant {
  teamId: string | null;
  applicationId: number | null;
  componentId: string | null;
}

function placeOfGrant({ teamId, applicationId, componentId }: StoredGrant): Reference[] {
  if (componentId !== null) return [component(componentId)];
  if (applicationId !== null) return [application(applicationId)];
  return teamId === null ? [] : [['Team', teamId]];
}

/** The fields of events that refer to objects which a caller who sees the event may not see, with these objects. */
const references = new Map<string, (value: string) => Reference[]>([
  ['dependencyId', (id) => [component(id)]],
  ['dependencies', (ids) => [...ids].map(component)],
  ['copyOfId', (id) => [application(id)]],
  ['copyId', (id) => [application(id)]],
  ['applications', (json) => (JSON.parse(json) as number[]).map(application)],
  ['grants', (json) => (JSON.parse(json) as StoredGrant[]).flatMap(placeOfGrant)],
  ['source', (json) => [component((JSON.parse(json) as { componentId: string }).componentId)]],
]);

const changesIn = ({ changes }: Pick<Row<'Event'>, 'changes'>): Change[] =>
  Object.entries(JSON.parse(changes) as Record<string, [unknown, unknown]>).map(
    ([field, [before, after]]) => ({ field, before, after }),
  );

async function isShown(context: Context, { field, before, after }: Change): Promise<boolean> {
  const referencesOf = references.get(field);
  if (!referencesOf) return true;
  const referred = [before, after].flatMap((value) => (value === null ? [] : referencesOf(value as string)));
  const found = await Promise.all(referred.map(([type, id]) => findObject(context, type, String(id))));
  return !found.includes(null);
}

/** The changes of an event, without those of fields that refer to what the actor may not see, or to what was deleted. */
async function visibleChanges(context: Context, event: Pick<Row<'Event'>, 'changes'>): Promise<Change[]> {
  const changes = changesIn(event);
  const shown = await Promise.all(changes.map((change) => isShown(context, change)));
  return changes.filter((_, index) => shown[index]);
}

/** The fields that an event recorded, as far as the actor may know them. */
export const changesOfEvent = (
  context: Context,
  event: Pick<Row<'Event'>, 'changes'>,
): Change[] | Promise<Change[]> =>
  context.actor.isPartial ? visibleChanges(context, event) : changesIn(event);

/** Whether the actor may see an application with this name in a team. */
const isNameVisible = batched(
  async (context: Context, names: string[], teamId: string) => {
    const where = [{ field: 'teamId' as const, is: teamId }, ...visibleApplications(context.actor)];
    const fields = ['id', 'name'] as const;
    const rows = await context.db.application.findManyByKeys({ by: 'name', keys: names, where, fields });
    return new Map(rows.map(({ name }) => [name, true]));
  },
  false,
  'Application.name',
);

/**
 * The application whose manifest made a change. It can be another one than that of the object: one that becomes the default
 * replaces the one before.
 */
export async function manifestOfEvent(
  context: Context,
  { manifest, teamId }: Pick<Row<'Event'>, 'manifest' | 'teamId'>,
): Promise<string | null> {
  if (manifest === null || teamId === null || !context.actor.isPartial) return manifest;
  return (await isNameVisible(context, manifest, teamId)) ? manifest : null;
}
