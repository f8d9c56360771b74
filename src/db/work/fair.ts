import type { Transaction } from '../open.ts';
import type { Model } from '../tables.ts';
import { delegateOf } from './delegate.ts';

/** Where work belongs. */
export interface At {
  teamId: string;
  applicationId: number | null;
}

/** A team that has much of the work in progress, and its applications that have some of it. */
interface Busiest {
  teamId: string;
  applicationIds: number[];
}

/** Excludes the work of some teams, or of some applications. */
export type Besides = { teamIds: readonly string[] } | { applicationIds: readonly number[] };

/** The relations that lead from a row of work to that with its team and its application, such as `volume`, `component`. */
export type Path = readonly string[];

const nested = (path: Path, inner: object, wrap = (value: object): object => value): object =>
  path.reduceRight((value, name) => ({ [name]: wrap(value) }), inner);

/** Which rows have work that is not excluded. */
export const notOf = (path: Path, besides: Besides): object =>
  nested(
    path,
    'teamIds' in besides
      ? { teamId: { notIn: [...besides.teamIds] } }
      : { applicationId: { notIn: [...besides.applicationIds] } },
  );

/** The team that has at least `most` of the work in progress, the rows with these ids. */
export async function busiestIn(
  tx: Transaction,
  { model, path }: { model: Model; path: Path },
  ids: readonly (string | number)[],
  most: number,
): Promise<Busiest | undefined> {
  if (ids.length < most) return undefined;
  const select = nested(path, { teamId: true, applicationId: true }, (value) => ({ select: value }));
  const rows = await delegateOf(tx, model).findMany({ where: { id: { in: [...ids] } }, select });
  const inProgress = rows.map(
    (row) => path.reduce((value, name) => value[name] as typeof row, row) as unknown as At,
  );
  const countOf = (team: string) => inProgress.filter(({ teamId }) => teamId === team).length;
  const teamId = inProgress.find((at) => countOf(at.teamId) >= most)?.teamId;
  if (teamId === undefined) return undefined;
  const ofTeam = inProgress.filter((at) => at.teamId === teamId);
  const applicationIds = [...new Set(ofTeam.flatMap(({ applicationId }) => applicationId ?? []))];
  return { teamId, applicationIds: await withPreviews(tx, applicationIds) };
}

/**
 * The applications, those of which they are previews, and all previews of these, also while they are removed. All of them share the turns
 * of one application, so that nobody gets more of them by opening previews.
 */
async function withPreviews(tx: Transaction, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const select = { applicationId: true, copyId: true, jobId: true } as const;
  const removals = await tx.job.findMany({
    where: { applicationId: { in: [...ids] }, kind: 'delete' },
    select: { id: true },
  });
  const jobId = { in: removals.map(({ id }) => id) };
  const own = await tx.preview.findMany({ where: { OR: [{ copyId: { in: [...ids] } }, { jobId }] }, select });
  const originals = [...new Set([...ids, ...own.map(({ applicationId }) => applicationId)])];
  const previews = await tx.preview.findMany({ where: { applicationId: { in: originals } }, select });
  const removing = await tx.job.findMany({
    where: {
      id: { in: previews.flatMap((preview) => (preview.copyId === null ? (preview.jobId ?? []) : [])) },
    },
    select: { applicationId: true },
  });
  const copies = [
    ...previews.map(({ copyId }) => copyId),
    ...removing.map(({ applicationId }) => applicationId),
  ];
  return [...new Set([...originals, ...copies.flatMap((id) => id ?? [])])];
}

/**
 * The work to begin, at most `limit`: that of other teams, then that of applications without any in progress, then the rest. So nobody
 * waits for all of the work of another team, or of another application of their own. `due` finds work in its order, without
 * that which is to come later.
 */
export async function takeFairly<T>(
  busiest: Busiest | undefined,
  limit: number,
  due: (besides?: Besides) => Promise<T[]>,
): Promise<T[]> {
  const { teamId, applicationIds } = busiest ?? {};
  const turns = [teamId && { teamIds: [teamId] }, applicationIds?.length && { applicationIds }];
  const taken = new Set<T>();
  for (const besides of [...turns.filter(Boolean), undefined] as (Besides | undefined)[]) {
    for (const each of await due(besides)) taken.add(each);
    if (taken.size >= limit) break;
  }
  return [...taken].slice(0, limit);
}
