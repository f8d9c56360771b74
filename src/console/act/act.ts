import { payloads } from 'virtual:schema';
import { useCallback, useMemo, useRef } from 'react';
import { type AnyVariables, type DocumentInput, useClient } from 'urql';
import { authorization } from '../api/session.ts';
import { type InputOf, type MutationName, mutationDocument } from '../documents/mutation.ts';
import type { Failure, Issue } from '../form/failure.ts';
import { strings } from '../strings.ts';

/** One object of a plan, or one change of an upgrade. */
export interface PlanItem {
  /** The action of the object: `port.delete`; or the kind of a change: `SET_VARIABLE`. */
  action: string;
  objectType?: string;
  objectUid?: string;
  name: string | null;
  /** The component that it belongs to. Changes of an upgrade are grouped by it. */
  component?: string;
  /** What happens, in one sentence with names. */
  summary: string;
  /** Of a component that is deployed: the digest of its image. */
  digest?: string | null;
}

export type Outcome =
  | { plan: PlanItem[]; jobs: number[]; payload: unknown; failure?: undefined }
  | { failure: Failure };

/** The parts of the answers to all mutations, as far as each selects them. */
interface Answer {
  __typename?: string;
  code?: string;
  message?: string;
  issues?: readonly Issue[];
  plan?: readonly PlanItem[];
  job?: { uid: number } | null;
  outcomes?: readonly UpgradeOutcome[];
  outcome?: UpgradeOutcome;
  leftStopped?: readonly string[];
}
interface UpgradeOutcome {
  changes: readonly UpgradeChange[];
  jobs: readonly { uid: number }[];
  leftStopped?: readonly string[];
}
interface UpgradeChange {
  component: string;
  kind: string;
  name: string;
  summary: string;
}

const upgradesIn = (answer: Answer) => answer.outcomes ?? (answer.outcome ? [answer.outcome] : []);

/** The names of the components that a deploy or an upgrade leaves stopped, from the payload of its mutation. */
export const leftStoppedIn = (payload: unknown): string[] =>
  [payload as Answer, ...upgradesIn(payload as Answer)].flatMap(({ leftStopped = [] }) => leftStopped);

function outcomeOf(answer: Answer): Outcome {
  if (answer.code !== undefined) {
    return { failure: { code: answer.code, message: answer.message ?? '', issues: answer.issues ?? [] } };
  }
  const outcomes = upgradesIn(answer);
  const changes = outcomes.flatMap((each) =>
    each.changes.map(({ kind, ...change }) => ({ action: kind, ...change })),
  );
  return {
    plan: [...(answer.plan ?? []), ...changes],
    jobs: [
      ...(answer.job ? [answer.job.uid] : []),
      ...outcomes.flatMap(({ jobs }) => jobs.map(({ uid }) => uid)),
    ],
    payload: answer,
  };
}

/**
 * Sends mutations. A change has an idempotency key, so that sending it again after a lost connection cannot make it twice:
 * the key stays the same until the input changes or the server has answered.
 */
export function useAct<Name extends MutationName>(name: Name) {
  const client = useClient();
  const document = useMemo(() => mutationDocument(name, payloads), [name]);
  const key = useRef<{ input: string; key: string }>(undefined);
  return useCallback(
    async (input: InputOf<Name>): Promise<Outcome> => {
      const text = JSON.stringify(input);
      const isDryRun = (input as { dryRun?: boolean }).dryRun === true;
      if (!isDryRun && key.current?.input !== text) key.current = { input: text, key: crypto.randomUUID() };
      const headers = {
        ...authorization(),
        ...(!isDryRun && key.current && { 'Idempotency-Key': key.current.key }),
      };
      const { data, error } = await client
        .mutation<{ result: unknown }, AnyVariables>(
          document as DocumentInput<{ result: unknown }, AnyVariables>,
          { input },
          { fetchOptions: { headers } },
        )
        .toPromise();
      const [first] = error?.graphQLErrors ?? [];
      if (error && !first) return failed('NETWORK', strings.errors.network);
      if (!isDryRun) key.current = undefined;
      if (first) return failed(String(first.extensions.code), first.message);
      return outcomeOf(data?.result as Answer);
    },
    [client, document],
  );
}

const failed = (code: string, message: string): Outcome => ({ failure: { code, message, issues: [] } });
