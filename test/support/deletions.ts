import { expect } from 'vitest';
import { expectConsistent } from './invariants.ts';
import type { Trellis } from './trellis.ts';
import { contentsOf } from './unchanged.ts';

/** An entry of a plan, as one text: `port.delete Port 12 WEB_80`. */
type Planned = string;

const shown = ({ action, objectType, objectUid, name }: Record<string, string | null>): Planned =>
  [action, objectType, objectUid, name].join(' ');

/**
 * Deletes something. The dry run before it told the same plan and changed not one row, the events tell of what was in
 * the plan, in its order, and all that is left fits. Returns the payload, and what happened without the identifiers.
 */
export async function deleteAsPlanned(
  trellis: Trellis,
  mutation: string,
  input: object,
  selection: string,
): Promise<{ payload: any; dryRun: any; done: string[] }> {
  const fields = `plan { action objectType objectUid name } ${selection}`;
  const before = await contentsOf(trellis);
  const dryRun = await trellis.succeed(mutation, { ...input, dryRun: true }, fields);
  expect(await contentsOf(trellis)).toEqual(before);
  const payload = await trellis.succeed(mutation, input, fields);
  expect(payload.plan.map(shown)).toEqual(dryRun.plan.map(shown));
  const rows = await trellis.services.db.query(
    'SELECT action, subject_type, subject_id FROM event ORDER BY id',
    [],
  );
  const events = rows.slice(before.event!.length).map((row) => row.join(' '));
  expect(events).toEqual(
    payload.plan.map((each: any) => `${each.action} ${each.objectType} ${each.objectUid}`),
  );
  await expectConsistent(trellis);
  return { payload, dryRun, done: payload.plan.map((each: any) => `${each.action} ${each.name}`) };
}
