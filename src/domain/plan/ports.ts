import type { Row } from '../../db/tables.ts';
import { defaultAlias } from '../port/model.ts';
import { changedColumns, fieldChange, givenFields, object } from './change-list.ts';
import type { PortEntry } from './component-model.ts';
import { actionFor, compareList, type Entries, type Path } from './parts.ts';
import type { Scene } from './scene.ts';
import type { ComponentWork } from './work.ts';

const portFields = ['protocol', 'alias', 'isInner', 'isOuter', 'additionalName'] as const;
const shownPortField = { additionalName: 'serviceName' } as { [column: string]: string };

export function planPorts(
  scene: Scene,
  work: ComponentWork,
  entries: Entries<PortEntry> | undefined,
  opens: ReadonlySet<number>,
  path: Path,
): void {
  const { list, issues } = scene;
  const { ports, portsAfter } = work;
  const standing = work.current?.ports ?? [];
  const byNumber = new Map(standing.map((each) => [each.number, each]));
  for (const row of standing) portsAfter.set(row.number, { ...row, row });
  const update = (port: Row<'Port'>, wanted: Partial<Row<'Port'>>, isWritten: boolean) => {
    const { isOuter, ...data } = changedColumns(port, wanted);
    const all = { ...data, ...(isOuter !== undefined && { isOuter }) };
    if (Object.keys(all).length === 0) return [];
    ports.update.push({ port, data, ...(isOuter !== undefined && { isOuter }), isWritten });
    portsAfter.set(port.number, { ...port, ...all, row: port });
    work.isTouched = true;
    return portFields.flatMap((field) =>
      field in all ? fieldChange(shownPortField[field] ?? field, port[field], all[field]) : [],
    );
  };
  const initialAlias = (number: number) => defaultAlias(work.row.alias, number);
  const wantedOf = (number: number, entry: PortEntry, port?: Row<'Port'>) => ({
    protocol: entry.protocol?.toLowerCase() ?? port?.protocol ?? '',
    alias: entry.alias ?? (entry.alias === null || !port ? initialAlias(number) : port.alias),
    isInner: entry.isInner ?? (entry.isInner === null ? false : (port?.isInner ?? false)),
    isOuter:
      entry.isOuter ?? (entry.isOuter === null ? false : opens.has(number) || (port?.isOuter ?? false)),
    additionalName: entry.serviceName === undefined ? (port?.additionalName ?? null) : entry.serviceName,
  });
  compareList<Row<'Port'>, PortEntry>(scene, work, entries, {
    kind: 'PORT',
    standing,
    keyOf: ({ number }) => String(number),
    create(key, entry) {
      const number = Number(key);
      const wanted = wantedOf(number, entry);
      if (entry.protocol === undefined) {
        const message = 'Is required for a new port';
        issues.push({ path: [...path, key, 'protocol'], message, isKey: true });
      }
      ports.create.push({ number, ...wanted });
      portsAfter.set(number, { number, ...wanted, row: null });
      work.isTouched = true;
      const values = {
        protocol: wanted.protocol,
        ...(wanted.alias !== initialAlias(number) && { alias: wanted.alias }),
        isInner: wanted.isInner,
        isOuter: wanted.isOuter,
        ...(wanted.additionalName !== null && { serviceName: wanted.additionalName }),
      };
      return { fields: givenFields(values) };
    },
    update: (port, entry) => ({ fields: update(port, wantedOf(port.number, entry, port), true) }),
    remove(port) {
      ports.remove.push(port);
      portsAfter.delete(port.number);
      work.isTouched = true;
      return { fields: [fieldChange('protocol', port.protocol, null)], isDestructive: port.isOuter };
    },
    adopt: ({ id }) => work.adopt.ports.push(id),
  });
  // A TCP route opens its port, whether the document has the port or not.
  for (const number of opens) {
    const key = String(number);
    const port = byNumber.get(number);
    if (!port || entries?.has(key) || !portsAfter.has(number)) continue;
    const fields = update(port, { isOuter: true }, false);
    if (fields.length > 0) list.add('UPDATE', object('PORT', work.name, key), fields);
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
        message: `Port ${other} already has the alias ${alias}`,
      });
    }
    aliases.set(alias, number);
  }
}

/** The first port gives a component its internal domain name, the last one takes it away. */
export function planServiceName(
  scene: Scene,
  work: ComponentWork,
  serviceName: string | null | undefined,
  path: Path,
): void {
  const { row, current, portsAfter } = work;
  const wanted = serviceName === null ? row.alias : serviceName;
  if (portsAfter.size === 0) {
    if (serviceName != null) {
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
