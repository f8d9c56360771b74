import type { Row } from '../../db/tables.ts';
import { hasEntry } from '../../kernel/entries.ts';
import { defaultAlias } from '../port/model.ts';
import { changedColumns, fieldChange, givenFields, object } from './change-list.ts';
import type { ComponentEntry, PortEntry } from './component-model.ts';
import { actionFor, entriesOf, isAdopted, type Path } from './parts.ts';
import { ownershipOf, type Scene } from './scene.ts';
import { addPort, type ComponentWork } from './work.ts';

const portFields = ['protocol', 'alias', 'isInner', 'isOuter', 'additionalName'] as const;
const shownPortField = { additionalName: 'serviceName' } as { [column: string]: string };

export function planPorts(
  scene: Scene,
  work: ComponentWork,
  collection: { [number: string]: PortEntry } | null | undefined,
  opens: ReadonlySet<number>,
  path: Path,
): void {
  const { list, issues } = scene;
  const { ports, row: component } = work;
  const standing = work.current?.ports ?? [];
  for (const row of standing) work.portsAfter.set(row.number, { ...row, row });
  const change = (is: Row<'Port'>, wanted: Partial<Row<'Port'>>, isWritten = true) => {
    const { isOuter, ...data } = changedColumns(is, wanted);
    const all = { ...data, ...(isOuter !== undefined && { isOuter }) };
    if (Object.keys(all).length === 0) return false;
    ports.update.push({ port: is, data, ...(isOuter !== undefined && { isOuter }), isWritten });
    work.portsAfter.set(is.number, { ...is, ...all, row: is });
    const fields = portFields.flatMap((field) =>
      field in all ? fieldChange(shownPortField[field] ?? field, is[field], all[field]) : [],
    );
    const action = isWritten ? actionFor(scene, work, is) : 'UPDATE';
    list.add(action, object('PORT', work.name, String(is.number)), fields);
    work.isTouched = true;
    return true;
  };
  const byNumber = new Map(standing.map((each) => [each.number, each]));
  for (const [key, entry] of entriesOf(collection ?? null)) {
    const number = Number(key);
    const is = byNumber.get(number);
    const at = [...path, key];
    const initialAlias = defaultAlias(component.alias, number);
    const wanted = {
      protocol: entry.protocol?.toLowerCase() ?? is?.protocol ?? '',
      alias: entry.alias ?? (entry.alias === null || !is ? initialAlias : is.alias),
      isInner: entry.isInner ?? (entry.isInner === null ? false : (is?.isInner ?? false)),
      isOuter:
        entry.isOuter ?? (entry.isOuter === null ? false : opens.has(number) || (is?.isOuter ?? false)),
      additionalName: entry.serviceName === undefined ? (is?.additionalName ?? null) : entry.serviceName,
    };
    if (is) {
      if (!change(is, wanted) && isAdopted(scene, work, is)) {
        work.adopt.ports.push(is.id);
        list.adopted.push(object('PORT', work.name, key));
      }
      continue;
    }
    if (entry.protocol === undefined) {
      issues.push({ path: [...at, 'protocol'], message: 'Is required for a new port', isKey: true });
    }
    addPort(work, { number, ...wanted });
    work.isTouched = true;
    const shown = {
      protocol: wanted.protocol,
      ...(wanted.alias !== initialAlias && { alias: wanted.alias }),
      isInner: wanted.isInner,
      isOuter: wanted.isOuter,
      ...(wanted.additionalName !== null && { serviceName: wanted.additionalName }),
    };
    list.add('CREATE', object('PORT', work.name, key), givenFields(shown));
  }
  // A TCP route opens its port, whether the document has the port or not.
  for (const number of opens) {
    const is = byNumber.get(number);
    if (is && !hasEntry(collection, String(number))) change(is, { isOuter: true }, false);
  }
  if (collection !== undefined) {
    for (const is of standing) {
      if (hasEntry(collection, String(is.number)) || ownershipOf(scene, is) !== 'own') continue;
      if (scene.prune === 'owned') {
        ports.remove.push(is);
        work.portsAfter.delete(is.number);
        work.isTouched = true;
        const fields = [fieldChange('protocol', is.protocol, null)];
        list.add('DELETE', object('PORT', work.name, String(is.number)), fields, {
          isDestructive: is.isOuter,
        });
      } else list.leftOver.push(object('PORT', work.name, String(is.number)));
    }
  }
  requireDistinctAliases(scene, work, path);
}

function requireDistinctAliases({ issues }: Scene, { portsAfter }: ComponentWork, path: Path): void {
  const aliases = new Map<string, number>();
  for (const { alias, number } of portsAfter.values()) {
    const other = aliases.get(alias);
    if (other !== undefined) {
      issues.push({
        path: [...path, String(number), 'alias'],
        message: `Port ${other} has the alias ${alias}, too`,
      });
    }
    aliases.set(alias, number);
  }
}

/** The first port gives a component its internal domain name, the last one takes it away. */
export function planServiceName(scene: Scene, work: ComponentWork, entry: ComponentEntry, path: Path): void {
  const { row, current, portsAfter } = work;
  const wanted = entry.serviceName === null ? row.alias : entry.serviceName;
  if (portsAfter.size === 0) {
    if (entry.serviceName != null) {
      scene.issues.push({ path: [...path, 'serviceName'], message: 'Requires a port' });
    }
    work.serviceNameAfter = null;
  } else work.serviceNameAfter = wanted ?? row.serviceName ?? row.alias;
  if (!current) {
    row.serviceName = work.serviceNameAfter;
    return;
  }
  if (work.serviceNameAfter === row.serviceName) return;
  work.data.serviceName = work.serviceNameAfter;
  work.isTouched = true;
  // The name is added with the first port and removed with the last one, whose own changes are in the plan.
  if (row.serviceName === null || work.serviceNameAfter === null) return;
  const fields = [fieldChange('serviceName', row.serviceName, work.serviceNameAfter)];
  scene.list.add(actionFor(scene, work, row), object('COMPONENT', null, work.name), fields);
}
