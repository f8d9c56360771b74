import { useCallback, useEffect, useRef, useState } from 'react';
import type { ManifestPlan } from '../act/manifest-plan.tsx';
import { request } from '../api/request.ts';
import { PlanManifest } from '../documents/manifest.ts';
import type { Failure } from '../form/failure.ts';
import type { Options } from './options.tsx';

/** How long nothing has to be typed before the plan is loaded. */
const typingMs = 400;

export interface ManifestTarget {
  team: string;
  region: string;
}

interface Input extends ManifestTarget, Options {
  document: string;
  /** When the application was changed last: a change of it is a reason to plan again. */
  updatedAt: string;
}

interface Answer {
  key: string;
  document: string;
  plan?: ManifestPlan;
  failure?: Failure;
}

export interface Planning {
  /** The last plan, unless the document could not be planned. */
  plan?: ManifestPlan | undefined;
  failure?: Failure | undefined;
  /** The document that was planned. */
  document?: string | undefined;
  /** Whether the plan or the failure belongs to the current text. */
  isCurrent: boolean;
  replan(): void;
}

/**
 * Plans a document as it is typed. A request that is in progress when something else is typed is aborted, so that answers
 * cannot arrive in the wrong order.
 */
export function usePlan(input: Input, isPaused: boolean): Planning {
  const { team, region, document, prune, deploy, startStopped, updatedAt } = input;
  const [answer, setAnswer] = useState<Answer>();
  const [attempt, setAttempt] = useState(0);
  // A plan that is being confirmed stays what it is.
  const seen = useRef(updatedAt);
  if (!isPaused) seen.current = updatedAt;
  const key = JSON.stringify([team, region, prune, deploy, startStopped, document, seen.current, attempt]);
  const planned = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has all of them
  useEffect(() => {
    const aborter = new AbortController();
    const isTyped = planned.current !== undefined && planned.current !== document;
    const plan = async () => {
      planned.current = document;
      const place = { team: { name: team }, region: { name: region } };
      const variables = { ...place, document, prune, deploy, startStopped };
      const { data, failure } = await request(PlanManifest, variables, aborter.signal);
      if (aborter.signal.aborted) return;
      setAnswer({ key, document, ...(data ? { plan: data.plan } : { failure }) });
    };
    const timer = setTimeout(() => plan().catch(() => {}), isTyped ? typingMs : 0);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key]);
  const replan = useCallback(() => setAttempt((before) => before + 1), []);
  return {
    plan: answer?.plan,
    failure: answer?.failure,
    document: answer?.document,
    isCurrent: answer?.key === key,
    replan,
  };
}
