import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Reading } from '../../../db/write/reading.ts';
import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import { uncutLength } from '../../../drivers/region/object-names.ts';
import { mapInSlices } from '../../../kernel/event-loop.ts';
import { freeName } from '../../component/names/model.ts';
import { freeAliases, namesInUse } from '../../component/names/reads.ts';
import { newComponentId } from '../../component/operations.ts';
import { newComponentRow, planComponent } from '../../plan/component.ts';
import type { Scene } from '../../plan/scene.ts';
import { serviceNamesAfter } from '../../plan/work.ts';
import { nameAdditional, wantedServiceName } from '../inner-name-reads.ts';
import { columnsOf } from './component.ts';
import type { KeptComponent } from './merge.ts';
import { portOf } from './ports.ts';
import { desiredVariables } from './variables.ts';

/** The reader of a plan: the transaction that carries it out or, for a dry run, none. */
export interface PlanReads extends Reading<Context> {
  team: Row<'Team'>;
  region: Row<'Region'>;
  /** The namespace of the application. */
  namespaceId: number;
}

/** A component that the new version adds. */
interface AddedComponent extends Pick<KeptComponent, 'additionalNames' | 'work'> {
  component: TemplateComponent;
}

/**
 * The new components of a template, without their dependencies. The region is locked, so that free names stay free. Those that
 * are `kept` have their names from then on.
 */
export async function newComponentsOf(
  reads: PlanReads,
  scene: Scene,
  { id: groupId }: Pick<Row<'ComponentGroup'>, 'id'>,
  components: readonly TemplateComponent[],
  kept: readonly KeptComponent[],
): Promise<AddedComponent[]> {
  if (components.length === 0) return [];
  const { context } = reads;
  const { signal } = context;
  const keptIds = new Set(kept.map(({ work }) => work.row.id));
  const names = await namesInUse(reads, reads, ({ id }) => !keptIds.has(id));
  const taken = names.takenBy(null);
  const nextAlias = await freeAliases(reads, reads, components.length);
  for (const name of kept.flatMap(({ work }) => serviceNamesAfter(work))) taken.serviceNames.add(name);
  const newRow = (component: TemplateComponent) => {
    const alias = nextAlias();
    const wanted = wantedServiceName(component) ?? alias;
    const row = newComponentRow(scene, {
      ...{ id: context.newComponentId?.(alias) ?? newComponentId(), key: component.key, groupId, alias },
      ...columnsOf(component),
      clusterName: freeName(component.clusterName ?? alias, taken.clusterNames, uncutLength),
      serviceName: component.ports.length > 0 ? freeName(wanted, taken.serviceNames, 63) : null,
      sourceKind: 'market',
    });
    return { component, row };
  };
  // Component names take precedence over additional names of ports.
  const rows = await mapInSlices(components, newRow, signal);
  return mapInSlices(
    rows,
    ({ component, row }) => {
      const additionalNames = nameAdditional(component, taken.serviceNames);
      const work = planComponent(scene, row, null, {
        ...desiredVariables(component, row.serviceName, additionalNames),
        volumes: new Map(component.volumes.map((volume) => [volume.name, volume])),
        ports: new Map(
          component.ports.map((port) => [String(port.number), portOf(component, port, additionalNames)]),
        ),
      });
      // The component is one line of the report.
      scene.list.changes.length = 0;
      return { component, work, additionalNames };
    },
    signal,
  );
}
