import type { Services } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { RegionWorkError } from '../../../drivers/region/driver.ts';

type Of = Pick<Row<'JobComponent'>, 'regionId' | 'componentId' | 'jobId' | 'attempts'>;

/** The most regions whose failures are remembered. Those of one that is forgotten are logged again. */
const maxRegions = 1_000;

/**
 * The log of calls that fail. The job shows the refusals of a cluster; the log warns of failures that users cannot fix, of
 * each once for a region until a call succeeds there, however many components and attempts fail. The rest is at the level
 * `debug`.
 */
export class FailureLog {
  readonly #warned = new Map<string, Set<string>>();

  failed({ log }: Pick<Services, 'log'>, work: Of, error: unknown): void {
    const { componentId, jobId, regionId, attempts } = work;
    const fields = { component: componentId, job: jobId };
    if (error instanceof RegionWorkError && error.isPermanent) {
      log.info({ ...fields, error: error.message }, 'the cluster refused a job');
      return;
    }
    const text = error instanceof Error ? error.message : String(error);
    const isUnreachable = error instanceof RegionWorkError && error.isUnreachable;
    const isNew = attempts === 1 && !isUnreachable && this.#isFirst(regionId, text);
    log[isNew ? 'warn' : 'debug']({ ...fields, error }, 'region driver failed');
  }

  succeeded({ regionId }: Pick<Of, 'regionId'>): void {
    this.#warned.delete(regionId);
  }

  #isFirst(regionId: string, text: string): boolean {
    const warned = this.#warned.get(regionId) ?? new Set<string>();
    if (warned.has(text)) return false;
    if (this.#warned.size >= maxRegions) this.#warned.clear();
    this.#warned.set(regionId, warned.add(text));
    return true;
  }
}
