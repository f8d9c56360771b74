import type { Context } from '../../../context.ts';
import { batchedRow, type List, pageOf } from '../../../db/list.ts';
import type { ListSpec, Source } from '../../../db/query/statement.ts';
import type { Row } from '../../../db/tables.ts';
import { allows, placeOf } from '../../../kernel/access.ts';
import { derived, lengthOf } from '../../../kernel/derived.ts';
import { numericId } from '../../../kernel/global-id.ts';
import { getOrCompute } from '../../../kernel/memo.ts';
import type { Seal } from '../../../kernel/seal.ts';
import { teamById } from '../../team/reads.ts';
import { componentById, placeOfComponent, visibleComponent } from '../reads.ts';

type Variable = Row<'EnvironmentVariable'>;

/** A variable with its decrypted value. */
export type PlainVariable = Omit<Variable, 'value' | 'sealedValue'> & { value: string };

/** A variable that was planned before a transaction, encrypted if it is secret. */
export interface SealedBefore {
  sealedBefore?: string;
}

/** The stored columns of a variable. Secrets are encrypted. */
export const sealVariable = <V extends { value: string; isSecret: boolean } & SealedBefore>(
  seal: Seal,
  { sealedBefore, ...variable }: V,
) => ({
  ...variable,
  value: variable.isSecret ? null : variable.value,
  sealedValue: variable.isSecret ? (sealedBefore ?? seal.close(variable.value)) : null,
});

/** A stored variable with its value decrypted. */
export const openVariable = (seal: Seal, { sealedValue, ...row }: Variable): PlainVariable => ({
  ...row,
  value: plainValue(seal, { sealedValue, value: row.value }),
});

const plainValue = (seal: Seal, { value, sealedValue }: Pick<Variable, 'value' | 'sealedValue'>): string =>
  sealedValue === null ? (value ?? '') : seal.open(sealedValue);

type WithValue = Pick<Variable, 'componentId' | 'value' | 'isSecret' | 'sealedValue'>;

/** The value of a variable. Null if it is a secret and the caller may not read secrets, which developers may. */
export const variableValue = (context: Context, row: WithValue): string | null | Promise<string | null> =>
  row.isSecret ? secretOf(context, row) : row.value;

const openedValue = derived(
  (row: WithValue, { seal }: Context) => plainValue(seal, row),
  (_, value) => lengthOf(value),
);

async function secretOf(context: Context, row: WithValue): Promise<string | null> {
  const component = await componentById(context, row.componentId);
  const team = component && (await teamById(context, component.teamId));
  return team && allows(context.actor, 'readSecrets', { ...placeOf(team), ...placeOfComponent(component) })
    ? openedValue(row, context)
    : null;
}

/** Derived variables have negative ids, two for each port. */
const derivedIds = { HOST: (port: string) => `-2 * ${port}`, PORT: (port: string) => `-2 * ${port} - 1` };
export const isDerived = ({ id }: Pick<Variable, 'id'>) => id < 0;
const portIdOf = (derivedId: number) => Math.floor(-derivedId / 2);

/**
 * Stored variables, and the connection variables of ports that are open inside the cluster. A stored connection variable
 * overrides a derived one with the same name.
 */
function storedAndDerived(collate: string): string {
  const text = (sql: string) => `CAST(${sql} AS TEXT)${collate}`;
  const derived = (suffix: 'HOST' | 'PORT', value: string) => {
    const name = `p."alias" || '_${suffix}'`;
    return (
      `SELECT ${derivedIds[suffix]('p."id"')}, p."component_id", ${text(name)}, ${text(name)}, ${text(value)}, false, ` +
      `${text('NULL')}, ${text("'connection'")}, true, p."number", p."revision", CAST(NULL AS INTEGER) ` +
      'FROM "port" p JOIN "component" c ON c."id" = p."component_id" ' +
      'WHERE p."is_inner" AND NOT EXISTS (SELECT 1 FROM "environment_variable" v ' +
      `WHERE v."component_id" = p."component_id" AND v."scope" = 'connection' AND v."name" = ${name})`
    );
  };
  return (
    '(SELECT "id", "component_id", "name", "label", "value", "is_secret", "sealed_value", "scope", "is_changeable", ' +
    '"port_number", "revision", "manifest_id" FROM "environment_variable" UNION ALL ' +
    `${derived('HOST', 'COALESCE(p."additional_name", c."service_name", c."alias")')} UNION ALL ` +
    `${derived('PORT', 'p."number"')})`
  );
}

// Postgres only pushes conditions into a UNION if types and collations are the same in all parts.
const source: Source = { sqlite: storedAndDerived(''), postgres: storedAndDerived(' COLLATE "C"') };

const specs = new Map<string, ListSpec<'EnvironmentVariable'>>();

const specOf = (scope: string): ListSpec<'EnvironmentVariable'> =>
  getOrCompute(specs, scope, () => ({
    model: 'EnvironmentVariable',
    source,
    parent: { field: 'componentId' },
    order: ['name', 'id'],
    where: scope ? [{ field: 'scope', is: scope }] : [],
  }));

/** The stored and derived variables of a component, sorted by name. */
export const variablesOf = (componentId: string, scope?: string | null): List<'EnvironmentVariable'> => ({
  key: componentId,
  spec: specOf(scope ?? ''),
});

const storedById = batchedRow('EnvironmentVariable', 'id');
const portById = batchedRow('Port', 'id', ['id', 'componentId']);

async function derivedById(context: Context, id: number): Promise<Variable | null> {
  const port = await portById(context, portIdOf(id));
  if (!port) return null;
  const { key, spec } = variablesOf(port.componentId);
  const list = { key, spec: { ...spec, where: [{ field: 'id' as const, is: id }] } };
  return (await pageOf(context, list, { limit: 1, fromEnd: false })).rows[0] ?? null;
}

/** The stored or derived variable with this id, or null if its component is not visible to the actor. */
export async function visibleVariable(context: Context, id: string): Promise<Variable | null> {
  const negative = id.startsWith('-') ? numericId(id.slice(1)) : undefined;
  const positive = numericId(id);
  const row =
    negative !== undefined
      ? await derivedById(context, -negative)
      : positive === undefined
        ? null
        : await storedById(context, positive);
  return (await visibleComponent(context, row?.componentId ?? '')) && row;
}
