import type { Row } from '../../db/tables.ts';
import { invalid } from '../../kernel/validate.ts';

/** The limit of each request. */
const limitOf = { cpuMillicores: 'cpuLimitMillicores', memoryMiB: 'memoryLimitMiB' } as const;
export const limitColumns = Object.values(limitOf);

type Resource = keyof typeof limitOf;
const resources = Object.keys(limitOf) as Resource[];
type Limits = Pick<Row<'Component'>, (typeof limitOf)[Resource]>;
type Sized = Pick<Row<'Component'>, Resource> & Partial<Limits>;

/** How it is stored that there is no limit. Null stands for as much as is requested. */
export const unlimited = 0;

/** Limits as they are stored. In inputs, null stands for none. Those that are left out are not in it. */
export function givenLimits(input: Partial<Limits>): Partial<Limits> {
  const given = limitColumns.filter((limit) => input[limit] !== undefined);
  return Object.fromEntries(given.map((limit) => [limit, input[limit] ?? unlimited]));
}

/** The limits to store with requests: one that is as large as its request follows it from then on. */
export const limitsWith = (row: Sized): Limits =>
  ofEach(row, (request, limit) => (limit === request && request > 0 ? null : limit));

/** How much an instance can use. Null without a limit. What requests nothing has none, unless it is set. */
export const usableOf = (request: number, limit: number | null) => (limit ?? request) || null;
export const limitsOf = (row: Sized): Limits => ofEach(row, usableOf);

const ofEach = (row: Sized, of: (request: number, limit: number | null) => number | null): Limits => ({
  cpuLimitMillicores: of(row.cpuMillicores, row.cpuLimitMillicores ?? null),
  memoryLimitMiB: of(row.memoryMiB, row.memoryLimitMiB ?? null),
});

/** The limits that are below their request, which follow it: of a version and a component that were changed apart from each other. */
export function followingLimits(row: Sized): Partial<Limits> {
  const limits = limitsOf(row);
  const low = resources.filter((resource) => (limits[limitOf[resource]] ?? row[resource]) < row[resource]);
  return Object.fromEntries(low.map((resource) => [limitOf[resource], null]));
}

/** The field whose limit and request contradict each other, and why. `given` are the fields that change. */
export function limitProblem(
  row: Sized,
  given: { readonly [field in Resource | keyof Limits]?: unknown },
): { field: string; message: string } | undefined {
  const limits = limitsOf(row);
  for (const resource of resources) {
    const limit = limitOf[resource];
    const most = limits[limit];
    if (most === null || most >= row[resource]) continue;
    return given[limit] == null
      ? { field: resource, message: `Must be at most ${limit} (${most})` }
      : { field: limit, message: `Must be at least ${resource} (${row[resource]})` };
  }
  return undefined;
}

/** INVALID_INPUT if a limit is below its request. */
export function requireLimits(row: Sized, given: Parameters<typeof limitProblem>[1]): void {
  const problem = limitProblem(row, given);
  if (problem) throw invalid(['input', problem.field], problem.message);
}
