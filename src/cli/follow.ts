import { setTimeout as sleep } from 'node:timers/promises';
import { allNodes, ask, type Page } from './api.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { note, plain, shortDigest } from './show.ts';

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

/** Prints a line for each component of a job when its status changes, until the job ends. Fails if the job did. */
export async function follow(context: Context, connection: Connection, jobId: number): Promise<void> {
  const lastStatuses = new Map<string, string>();
  for (;;) {
    const { status, outcome, error } = await look(context, connection, jobId, lastStatuses);
    if (status === 'SUCCEEDED') {
      return note(
        context,
        `Job ${jobId} ${outcome === 'UNCHANGED' ? 'had nothing to change' : 'has succeeded'}.`,
      );
    }
    if (status === 'FAILED' || status === 'CANCELLED') {
      throw new Failure(
        `Job ${jobId} ${status === 'FAILED' ? 'has failed' : 'was cancelled'}${error ? `: ${error}` : '.'}`,
        { code: status },
      );
    }
    await sleep(pollMs(context));
  }
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
