import type { Agent } from 'node:http';
import { expect } from 'vitest';
import type { Request } from './largest-requests.ts';
import type { TrellisProcess } from './process.ts';
import { type Answer, send } from './send.ts';

/**
 * What is refused in a walk, with the reason: by the title of the request, the path of the field if it is one that is refused,
 * and the code. Everything else has to succeed.
 */
export type Refusals = Readonly<Record<string, string>>;

interface Walker {
  gateway: TrellisProcess;
  target: { url: string; adminToken: string };
  agent: Agent;
  /** How many equal requests are sent at once, after one that is sent alone. */
  atOnce: number;
}

/** What equal changes get that come after another one, or at the same moment. */
const ofRepetitions = /: (?:UNAVAILABLE|CONFLICT|NOT_FOUND)$/;
/** What requests get that take the memory of all requests together. */
const ofMany = /: UNAVAILABLE$/;

const isMutation = ({ query }: Request) => query.startsWith('mutation');
const isDryRun = ({ variables }: Request) =>
  (variables as { input?: { dryRun?: boolean } } | undefined)?.input?.dryRun === true;

/** What an answer refuses, as a walk names it. */
function refusalsIn(request: Request, { status, body }: Answer): string[] {
  const places = (body?.errors ?? []).map(({ path = [], extensions }: any) => {
    const names = isMutation(request) ? [] : path.filter((part: unknown) => typeof part === 'string');
    return `${[request.title, names.join('.')].filter(Boolean).join(' ')}: ${extensions?.code}`;
  });
  const typed = isMutation(request)
    ? Object.values<any>(body?.data ?? {}).flatMap((result) =>
        result?.code ? `${request.title}: ${result.code}` : [],
      )
    : [];
  const found = [...places, ...typed];
  return [...new Set(found.length > 0 || status < 400 ? found : [`${request.title}: ${status}`])].sort();
}

/** The message of the first refusal, which says more than its code. */
const messageOf = ({ body, text }: Answer): string =>
  body?.errors?.[0]?.message ?? Object.values<any>(body?.data ?? {})[0]?.message ?? text.slice(0, 200);

export function createWalk({ gateway, target, agent, atOnce }: Walker) {
  const ask = ({ query, variables, token }: Request): Promise<Answer> =>
    send(target, { body: JSON.stringify({ query, variables }), token, agent });

  /** Sends a request alone and several times at once. Returns what it was refused alone, and what went wrong. */
  async function walk(request: Request, refusals: Refusals) {
    const failures: string[] = [];
    let refused: string[] = [];
    try {
      const alone = await ask(request);
      refused = refusalsIn(request, alone);
      failures.push(
        ...refused.filter((each) => !(each in refusals)).map((each) => `${each}: ${messageOf(alone)}`),
      );
      const count = request.isAlone ? 0 : atOnce;
      const answers = await Promise.all(Array.from({ length: count }, () => ask(request)));
      const isRepeated = isMutation(request) && !isDryRun(request);
      const more = answers.map((answer) => refusalsIn(request, answer));
      const allowed = isRepeated ? ofRepetitions : ofMany;
      for (const each of more.flat()) {
        if (!refused.includes(each) && !allowed.test(each)) failures.push(`at once, ${each}`);
      }
      if (!isRepeated) {
        // What they took is given back, a moment after they are answered.
        await expect
          .poll(async () => refusalsIn(request, await ask(request)), { message: 'afterwards' })
          .toEqual(refused);
      }
      // A database that is busy with what was rolled back can take longer than one check waits.
      await expect
        .poll(async () => (await send(target, { path: '/readyz' })).status, { message: '/readyz' })
        .toBe(200);
    } catch (error) {
      failures.push(`${request.title}: ${error}`);
    }
    if (gateway.child.exitCode !== null) failures.push(`${request.title}: the process ended`);
    return { refused, failures };
  }

  /** Returns what went wrong, with the refusals that did not occur. Ends with the process: what follows would fail as well. */
  return async function walkAll(
    requests: Iterable<Request> | AsyncIterable<Request>,
    refusals: Refusals = {},
  ): Promise<string[]> {
    const failures: string[] = [];
    const occurred = new Set<string>();
    for await (const request of requests) {
      const walked = await walk(request, refusals);
      failures.push(...walked.failures);
      for (const each of walked.refused) occurred.add(each);
      if (gateway.child.exitCode !== null) break;
    }
    const answered = Object.keys(refusals).filter((each) => !occurred.has(each));
    return [...new Set([...failures, ...answered.map((each) => `${each} does not occur`)])];
  };
}
