import { setTimeout as sleep } from 'node:timers/promises';
import { allNodes, ask, type Page } from './api.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { note, plain, shortDigest } from './show.ts';

/** A job as it was last seen. */
export interface SeenJob {
  uid: number;
  status: string;
  error?: string | null;
}

/** How long to wait before the gateway is asked again. */
export const pollMs = ({ env }: Context) => Number(env.TRELLIS_POLL_MS ?? 1000);

const query = `query ($job: JobRef!, $after: String) {
  job(by: $job) {
    status outcome error
    components(first: 100, after: $after) {
      nodes { componentUid name action status outcome digest note error }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/** Prints a line for each component of a job when its status changes, until the job ends. Returns how it has ended. */
async function follow(context: Context, connection: Connection, jobId: number): Promise<SeenJob> {
  const lastStatuses = new Map<string, string>();
  for (;;) {
    const { status, outcome, error } = await look(context, connection, jobId, lastStatuses);
    if (status === 'SUCCEEDED') {
      note(context, `Job ${jobId} ${outcome === 'UNCHANGED' ? 'had nothing to change' : 'succeeded'}.`);
    }
    if (finalStatuses.has(status)) return { uid: jobId, status, error };
    await sleep(pollMs(context));
  }
}

const finalStatuses = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

/** The job as it ends or, with `--no-wait`, as it is. */
export const outcomeOf = async (
  context: Context,
  connection: Connection,
  job: SeenJob | null,
  { wait }: { wait?: boolean },
): Promise<SeenJob | null> => (job && wait !== false ? follow(context, connection, job.uid) : job);

export const hasFailed = (job: SeenJob | null): job is SeenJob =>
  job?.status === 'FAILED' || job?.status === 'CANCELLED';

/** Throws if the job has ended otherwise than it should. */
export function requireSuccess(job: SeenJob | null): void {
  if (!hasFailed(job)) return;
  const { uid, status, error } = job;
  const end = status === 'FAILED' ? 'failed' : 'was cancelled';
  throw new Failure(`Job ${uid} ${end}${error ? `: ${error}` : '.'}`, { code: status });
}

interface Look {
  job: { status: string; outcome: string; error: string | null; components: Page<JobComponent> };
}

interface JobComponent {
  componentUid: string;
  name: string;
  action: string;
  status: string;
  outcome: string;
  digest: string | null;
  note: string | null;
  error: string | null;
}

async function look(context: Context, connection: Connection, jobId: number, shown: Map<string, string>) {
  let job!: Look['job'];
  const components = await allNodes(async (after) => {
    ({ job } = await ask<Look>(connection, query, { job: { jobId }, after }));
    return job.components;
  });
  for (const component of components) {
    const { componentUid } = component;
    const line = lineOf(component);
    if (shown.get(componentUid) === line) continue;
    shown.set(componentUid, line);
    note(context, `  ${plain(line)}`);
  }
  return job;
}

function lineOf({ name, action, status, outcome, digest, note: text, error }: JobComponent): string {
  if (outcome === 'UNCHANGED') return `${name}: ${text ?? 'Nothing to change.'}`;
  const image = digest === null ? '' : ` (${shortDigest(digest)})`;
  const more = error ?? text;
  return `${name}: ${action.toLowerCase()} ${status.toLowerCase()}${image}${more ? `: ${more}` : ''}`;
}
