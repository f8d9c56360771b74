import type { Row } from '../../db/tables.ts';
import type { NewDependency } from '../component/dependencies/many-rows.ts';
import type { DependencyChanges } from '../component/dependencies/rows.ts';
import { changeWeights } from '../component/size/model.ts';
import type { ScheduleChange } from '../component/snapshots/schedule/rows.ts';
import type { VariableChanges } from '../component/variables/rows.ts';
import type { VolumeChanges } from '../component/volumes/rows.ts';
import type { ScheduleChanges } from '../run/schedules/rows.ts';
import type { StandingComponent } from './standing-reads.ts';

interface PortAfter {
  number: number;
  protocol: string;
  alias: string;
  isOuter: boolean;
  additionalName: string | null;
  /** Null for a new port. */
  row: Row<'Port'> | null;
}

type PortData = Pick<Row<'Port'>, 'number' | 'protocol' | 'alias' | 'isInner' | 'isOuter' | 'additionalName'>;

export interface ComponentWork {
  name: string;
  /** Whether the document writes it, and does not only refer to it. */
  isWritten: boolean;
  current: StandingComponent | null;
  /** The component before the change, or a new one. */
  row: Row<'Component'>;
  /** The columns that change. */
  data: Partial<Row<'Component'>>;
  variables: VariableChanges;
  volumes: VolumeChanges;
  /** The snapshot schedules that change, by the names of their volumes. */
  snapshotSchedules: Map<string, Pick<ScheduleChange, 'before' | 'after'>>;
  schedules: ScheduleChanges;
  dependencies: { add: NewDependency[]; remove: NewDependency[] } & DependencyChanges;
  ports: {
    create: PortData[];
    update: { port: Row<'Port'>; data: Partial<Row<'Port'>>; isOuter?: boolean; isWritten: boolean }[];
    remove: Row<'Port'>[];
  };
  portsAfter: Map<number, PortAfter>;
  serviceNameAfter: string | null;
  /** Objects that belong to the manifest from then on, and do not change otherwise. */
  adopt: {
    isComponent: boolean;
    variables: number[];
    volumes: number[];
    schedules: string[];
    ports: number[];
    dependencies: NewDependency[];
  };
  /** Whether something changes that takes effect with a deploy. */
  needsDeploy: boolean;
  /** Whether it is new, and is not deployed with the others: its row has its state. */
  isLeftAlone?: boolean;
  /** Whether it is deployed even if nothing changes, because of what was changed since its last deploy. */
  isOutdated?: boolean;
  /** Whether ports or routes change, which are applied at once. */
  isTouched: boolean;
}

/** The work on a component that changes nothing yet. A new component has no `current`. */
export const workOn = (row: Row<'Component'>, current: ComponentWork['current']): ComponentWork => ({
  name: row.name,
  isWritten: true,
  current,
  row,
  data: {},
  variables: { create: [], update: [], remove: [] },
  volumes: { create: [], update: [], remove: [] },
  snapshotSchedules: new Map(),
  schedules: { create: [], update: [], remove: [] },
  dependencies: { add: [], remove: [] },
  ports: { create: [], update: [], remove: [] },
  portsAfter: new Map(),
  serviceNameAfter: row.serviceName,
  adopt: { isComponent: false, variables: [], volumes: [], schedules: [], ports: [], dependencies: [] },
  needsDeploy: false,
  isTouched: false,
});

export const serviceNamesAfter = ({ serviceNameAfter, portsAfter }: ComponentWork): string[] =>
  [serviceNameAfter, ...[...portsAfter.values()].map(({ additionalName }) => additionalName)].flatMap(
    (name) => name ?? [],
  );

/** The port that a route leads to. */
export interface RouteTarget {
  work: ComponentWork;
  port: PortAfter;
}

/** What happens to the rules of one kind. */
export interface RuleWork<R> {
  create: (RouteTarget & { data: Partial<R> })[];
  update: { rule: R; data: Partial<R> }[];
  remove: R[];
  adopt: R[];
}

export interface RouteWork {
  http: RuleWork<Row<'HttpRule'>>;
  tcp: RuleWork<Row<'TcpRule'>>;
}

export const noRoutes = (): RouteWork => ({
  http: { create: [], update: [], remove: [], adopt: [] },
  tcp: { create: [], update: [], remove: [], adopt: [] },
});

export interface ComponentsWork {
  components: ComponentWork[];
  removed: Row<'Component'>[];
  routes: RouteWork;
}

export interface Work extends ComponentsWork {
  application: {
    /** The columns of a new application, or those that change. */
    data: Partial<Row<'Application'>>;
    isNew: boolean;
  };
}

/** How many more objects there are after the changes. */
export function objectsAdded(components: readonly ComponentWork[], { http, tcp }: RouteWork): number {
  let more = 0;
  const add = ({ create, remove }: { create: unknown[]; remove: unknown[] }) => {
    more += create.length - remove.length;
  };
  for (const { current, variables, volumes, schedules, dependencies, ports } of components) {
    if (!current) more++;
    for (const each of [variables, volumes, schedules, ports]) add(each);
    more += dependencies.add.length - dependencies.remove.length;
  }
  add(http);
  add(tcp);
  return more;
}

const { Component: ofComponent, EnvironmentVariable: ofVariable, HttpRule: ofRule } = changeWeights;

/** How many characters take as long to write as a port. */
export const charactersOfPort = 4_096;

const charactersIn = (values: readonly object[]): number => {
  let characters = 0;
  for (const object of values) {
    for (const value of Object.values(object)) if (typeof value === 'string') characters += value.length;
  }
  return characters;
};

/** What the objects count that the changes create, change and remove, and the text that is written with them. */
export function objectsChanged(components: readonly ComponentWork[], { http, tcp }: RouteWork): number {
  const countOf = ({ create, update, remove }: { create: unknown[]; update: unknown[]; remove: unknown[] }) =>
    create.length + update.length + remove.length;
  const withRoutes = new Set(
    http.create.flatMap(({ port, data }) => (data.isDefault && port.isOuter ? port : [])),
  );
  let rules = countOf(http) + countOf(tcp) - withRoutes.size;
  let count = (http.adopt.length + tcp.adopt.length) * ofVariable;
  let characters = charactersIn(http.create.map(({ data }) => data));
  for (const work of components) {
    const { row, current, data, needsDeploy, isTouched, adopt } = work;
    const { variables, volumes, schedules, snapshotSchedules, dependencies, ports } = work;
    const isSet = Object.keys(data).length > 0 || needsDeploy || isTouched || adopt.isComponent;
    if (!current || isSet) count += ofComponent;
    const { create, update, remove } = variables;
    // One that changes is read, written and deployed again, which takes twice as long.
    count += (create.length + remove.length) * ofVariable + update.length * 2 * ofVariable;
    count += countOf(volumes) + countOf(schedules) + countOf(ports);
    characters += charactersIn([
      ...[current ? data : row, ...create, ...update.map(({ after }) => after)],
      ...[...volumes.create, ...volumes.update.map(({ data }) => data)],
    ]);
    count += snapshotSchedules.size + dependencies.add.length + dependencies.remove.length;
    for (const part of [adopt.variables, adopt.volumes, adopt.schedules, adopt.ports, adopt.dependencies]) {
      count += part.length * ofVariable;
    }
    // Default rules come and go with ports, unless routes take their place.
    for (const { isOuter } of [...ports.create, ...ports.remove]) if (isOuter) rules++;
    for (const { isOuter } of ports.update) if (isOuter !== undefined) rules++;
  }
  return count + rules * ofRule + Math.floor(characters / charactersOfPort);
}
