import type { Context } from '../../context.ts';
import type { Filter } from '../../db/query/statement.ts';
import { batched } from '../../kernel/batch.ts';
import { groupBy } from '../../kernel/group.ts';
import type { HealthScope } from '../application/health-reads.ts';
import type { Unhealthy } from '../application/status-model.ts';
import { inVisibleApplications, inVisibleTeams, visibleComponents } from '../team/visible-reads.ts';
import { initialDeployState, isDeployed, unhealthyBy } from './state-model.ts';
import { type Answer, answersFor } from './status-reads.ts';

const fields = ['id', 'applicationId', 'regionId', 'deployState'] as const;

/** The regions of which a driver can find out more than what is stored. */
const observedRegions = batched(async ({ db, drivers }: Context, enterpriseIds: string[]) => {
  const immediate = [...drivers.region.values()].flatMap(({ name, isImmediate }) =>
    isImmediate ? [name] : [],
  );
  const regions = await db.region.findManyByKeys({
    by: 'enterpriseId',
    keys: enterpriseIds,
    fields: ['id', 'enterpriseId'],
    where: [{ field: 'driver', notIn: immediate }],
  });
  const byEnterprise = groupBy(regions, ({ enterpriseId }) => enterpriseId);
  return new Map([...byEnterprise].map(([key, rows]) => [key, rows.map(({ id }) => id)]));
}, [] as string[]);

/**
 * The conditions of the components of a scope. Components that were never deployed have no health. Undefined if there can be
 * none.
 */
async function conditionsOf(
  context: Context,
  { by, keys }: HealthScope,
): Promise<Filter<'Component'>[] | undefined> {
  const { actor } = context;
  const deployed: Filter<'Component'> = { field: 'deployState', notIn: [initialDeployState(false)] };
  if (by === 'applicationId') return [deployed, ...inVisibleApplications(actor)];
  const observed = await observedRegions(context, actor.enterpriseId);
  if (by === 'regionId') {
    if (!keys.some((key) => observed.includes(key))) return undefined;
    return [deployed, { field: 'regionId', in: observed }, ...visibleComponents(actor)];
  }
  if (observed.length === 0) return undefined;
  return [deployed, { field: 'regionId', in: observed }, ...inVisibleTeams.components(actor)];
}

/** How unhealthy a component is. Of a cluster that does not respond, by the last work on it. */
const unhealthyOf = (answer: Answer, component: { deployState: string }): Unhealthy =>
  'status' in answer ? (unhealthyBy(answer.status, component) ?? 'none') : answer.hasFailed ? 'all' : 'none';

/** The applications of the scope with components that are not healthy. */
export async function healthOfApplications(
  context: Context,
  scope: HealthScope,
): Promise<Map<number, Exclude<Unhealthy, 'none'>>> {
  const { by, keys } = scope;
  const where = await conditionsOf(context, scope);
  if (!where) return new Map();
  const components = await context.db.component.findManyByKeys({ by, keys: [...keys], fields, where });
  const answers = await answersFor(context, components);
  const failed = [...answers.values()].find((answer) => 'failure' in answer);
  if (failed) context.log.warn({ error: failed.failure }, 'region driver failed');
  const health = components.map((component) => ({
    ...component,
    unhealthy: unhealthyOf(answers.get(component.id)!, component),
  }));
  const applications = new Map<number, Exclude<Unhealthy, 'none'>>();
  for (const [id, all] of groupBy(health, ({ applicationId }) => applicationId)) {
    const has = (which: Unhealthy) => all.some(({ unhealthy }) => unhealthy === which);
    const runs = all.some((component) => isDeployed(component) && component.unhealthy !== 'all');
    if (has('all') && !runs) applications.set(id, 'all');
    else if (has('all') || has('some')) applications.set(id, 'some');
  }
  return applications;
}
