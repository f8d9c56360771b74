import type { Row } from '../../../db/tables.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { hasEntry } from '../../../kernel/entries.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { inSlices, yieldToLoop } from '../../../kernel/event-loop.ts';
import { isDeployedBy, type StartStopped } from '../../component/deploy/scope-model.ts';
import { namesInUse } from '../../component/names/reads.ts';
import { isClosed, isDeployed, nextDeployState } from '../../component/state-model.ts';
import { completePlan } from '../../plan/apply-rows.ts';
import { compareDependencies } from '../../plan/dependencies.ts';
import { sceneWithin } from '../../plan/scene.ts';
import type { StandingComponent } from '../../plan/standing-reads.ts';
import type { ComponentWork, RouteWork } from '../../plan/work.ts';
import { deployedState } from '../../region/model.ts';
import type { UpgradeChange } from '../model.ts';
import { withinRegion } from '../required-reads.ts';
import { newComponentsOf, type PlanReads } from './added.ts';
import { columnsOf, mergeDependencies } from './component.ts';
import type { BaseTemplate, Installed } from './input.ts';
import { type MergeOptions, mergeTemplate } from './merge.ts';
import { line, reportOf } from './report.ts';
import { routesOf } from './routes.ts';

/** What makes a group of components what a version of a template wants. */
export interface TemplatePlan {
  /** The components that change, then the new ones. */
  works: ComponentWork[];
  /** The rules of new ports. */
  routes: RouteWork;
  /** The components that the version no longer has, and which are closed. */
  close: StandingComponent[];
  changes: UpgradeChange[];
  /** The assigned additional names of ports, by component key. */
  additionalNames: NonNullable<BaseTemplate['additionalNames']>;
}

/** What there is before an install. */
export const noComponents: Installed = { components: [], plainVariables: new Map() };

/** Plans a version of a template. An install has no base, and nothing is installed. */
export async function planTemplate(
  reads: PlanReads,
  group: Pick<Row<'ComponentGroup'>, 'id'>,
  base: BaseTemplate,
  next: AppTemplate,
  installed: Installed,
  options: Omit<MergeOptions, 'taken'> & StartStopped,
): Promise<TemplatePlan> {
  const { context, team, region, namespaceId } = reads;
  const { components, plainVariables } = installed;
  const scene = sceneWithin(context, { team, region, namespaceId, plainVariables });
  const [from, to] = [withinRegion(base, region), withinRegion(next, region)];
  const inUse = await namesInUse(reads, reads, (row) => row.groupId !== group.id);
  const { serviceNames: taken } = inUse.takenBy(null);
  const kept = await inSlices(
    mergeTemplate(scene, from, to, installed, { ...options, taken }),
    context.signal,
  );
  const ids = new Map(components.map(({ row }) => [row.key, row.id]));
  const isInBase = new Set(base.components.map(({ key }) => key));
  // A component that a user deleted stays deleted.
  const add = to.components.filter(
    ({ key }) => !ids.has(key) && (!isInBase.has(key) || hasEntry(base.dropped, key)),
  );
  const added = await newComponentsOf(reads, scene, group, add, kept);
  for (const { work } of added) ids.set(work.row.key, work.row.id);
  const keys = new Map([...ids].map(([key, id]) => [id, key]));
  const keyOf = (id: string) => keys.get(id);
  const depend = (work: ComponentWork, entries: readonly [key: string, entry: true | null][]) => {
    const byId = entries.flatMap(([key, entry]) => {
      const id = ids.get(key);
      return id === undefined ? [] : [[id, entry] as const];
    });
    compareDependencies(scene, work, new Map(byId), keyOf);
    return scene.list.changes.splice(0);
  };
  for (const { component, work } of added) {
    depend(
      work,
      component.dependencies.map((key) => [key, true]),
    );
    await yieldToLoop(context.signal);
  }
  for (const { input, work, changes } of kept) changes.push(...depend(work, mergeDependencies(input, keyOf)));
  const [conflict] = scene.conflicts;
  if (conflict) throw new ConflictError(conflict.message);
  const names = new Map([
    ...components.map(({ row }) => [row.key, row.name] as const),
    ...next.components.map(({ key, name }) => [key, name] as const),
  ]);
  const close = closedBy(next, components);
  const changes = [
    ...added.map(({ work: { row } }) => line(row.name, 'ADD_COMPONENT', row.name, null, row.image)),
    ...close.flatMap(linesOfClose),
  ];
  const columns = Object.keys(columnsOf(next.components[0]!)) as (keyof Row<'Component'>)[];
  const works: ComponentWork[] = [];
  for (const each of kept) {
    if (Object.keys(each.work.data).length + each.changes.length === 0) continue;
    changes.push(...reportOf(each.work, each.changes, (key) => names.get(key) ?? key));
    changes.push(...startIfStopped(each.work, options));
    works.push(withAllColumns(each.work, columns));
    await yieldToLoop(context.signal);
  }
  works.push(...added.map(({ work }) => work));
  const routes = await routesOf(reads, works, next.routes);
  await completePlan(reads, { components: works, routes });
  const additionalNames = Object.fromEntries(
    [...kept, ...added].map(({ work, additionalNames: assigned }) => [work.row.key, assigned]),
  );
  return { works, routes, close, changes, additionalNames };
}

/** The components that a version no longer has, unless they are closed already. */
function closedBy(next: AppTemplate, installed: readonly StandingComponent[]): StandingComponent[] {
  const wanted = new Set(next.components.map(({ key }) => key));
  return installed.filter(
    ({ row }) => !wanted.has(row.key) && nextDeployState(row.deployState, 'drop') !== undefined,
  );
}

const linesOfClose = ({ row, ports }: StandingComponent): UpgradeChange[] => [
  line(row.name, 'CLOSE_COMPONENT', row.name, row.deployState, nextDeployState(row.deployState, 'drop')),
  ...ports
    .filter(({ isOuter }) => isOuter)
    .map(({ number }) => line(row.name, 'SET_PORT', `${number} isOuter`, true, false)),
];

/** A stopped component with changes is only deployed if that was asked for. */
function startIfStopped({ row, data }: ComponentWork, options: StartStopped): UpgradeChange[] {
  if (data.deployState !== undefined || !isClosed(row) || !isDeployedBy('running', row, options)) return [];
  data.deployState = nextDeployState(row.deployState, 'deploy')!;
  return [line(row.name, 'SET', 'deployState', row.deployState, data.deployState)];
}

/** Sets all columns, so that the components of a template share statements. The job of the upgrade deploys them. */
function withAllColumns(work: ComponentWork, columns: readonly (keyof Row<'Component'>)[]): ComponentWork {
  const { row, data } = work;
  // A component that comes back is deployed, too.
  const updateVersion = row.updateVersion + (isDeployed({ ...row, ...data }) ? 1 : 0);
  const after = { ...row, ...data, updateVersion };
  const fields = [...columns, 'deployState', 'serviceName', 'updateVersion'] as const;
  const all = Object.fromEntries(fields.map((field) => [field, after[field]]));
  return { ...work, data: all, isTouched: true, needsDeploy: false };
}

/**
 * The base of the next upgrade. It keeps removed components, because they can be added again; their ports
 * that were closed are opened again in that case.
 */
export function nextBase(
  base: BaseTemplate,
  { close, works, additionalNames }: TemplatePlan,
  next: AppTemplate,
): BaseTemplate {
  const keys = new Set(next.components.map(({ key }) => key));
  const closed = new Map(close.map((each) => [each.row.key, each]));
  const dropped = base.components.filter(({ key }) => !keys.has(key));
  const stateOf = (key: string) => {
    const before = closed.get(key)?.row.deployState;
    // Of a template that an earlier version of Trellis stored, it is not known why a component is closed.
    return before ?? base.dropped?.[key] ?? (base.dropped ? 'closed' : deployedState);
  };
  const isClosed = (key: string, number: number) =>
    closed.get(key)?.ports.some((port) => port.number === number && port.isOuter) ?? false;
  return {
    ...next,
    components: [
      ...next.components,
      ...dropped.map((each) => ({
        ...each,
        ports: each.ports.map((port) =>
          isClosed(each.key, port.number) ? { ...port, isOuter: false } : port,
        ),
      })),
    ],
    dropped: Object.fromEntries(dropped.map(({ key }) => [key, stateOf(key)])),
    serviceNames: {
      ...base.serviceNames,
      ...Object.fromEntries(
        works.flatMap(({ row, current, serviceNameAfter: name }) =>
          name !== null && (!current || name !== row.serviceName) ? [[row.key, name]] : [],
        ),
      ),
    },
    additionalNames: { ...base.additionalNames, ...additionalNames },
  };
}
