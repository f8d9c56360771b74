import type { RefusedChange } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { refusedAction, type SubjectType } from '../../../db/write/events.ts';
import { maySeeSome, type ObjectLocation } from '../../../kernel/access.ts';

/** The object of a refused change, or the one that it belongs to. */
function subjectOf({
  enterpriseId,
  teamId,
  applicationId,
  componentId,
}: ObjectLocation): [SubjectType, string] {
  if (componentId !== undefined) return ['Component', componentId];
  if (applicationId != null) return ['Application', String(applicationId)];
  return teamId === undefined ? ['Enterprise', enterpriseId] : ['Team', teamId];
}

/**
 * The event of a refused change. It belongs to the team of the object if the caller may see that, and otherwise to the
 * enterprise. It has nothing of the input, which can contain secrets.
 */
export function eventOf({
  actor,
  requestId,
  name,
  isDryRun,
  place,
}: RefusedChange): Omit<Row<'Event'>, 'id'> {
  const { enterpriseId } = actor;
  const seen = place && maySeeSome(actor, place) ? place : { enterpriseId };
  const [subjectType, subjectId] = subjectOf(seen);
  return {
    enterpriseId,
    teamId: seen.teamId ?? null,
    at: new Date(),
    applicationId: seen.applicationId ?? null,
    componentId: seen.componentId ?? null,
    userId: actor.userId,
    serviceAccountId: actor.serviceAccountId,
    tokenId: actor.tokenId,
    sessionId: actor.sessionId,
    deployHookId: actor.deployHookId ?? null,
    requestId,
    action: refusedAction,
    subjectType,
    subjectId,
    changes: JSON.stringify({ mutation: [null, name], ...(isDryRun && { dryRun: [null, true] }) }),
    manifest: null,
  };
}
