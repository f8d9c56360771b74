import { useCallback, useEffect, useState } from 'react';
import type { ResultOf } from '../api/graphql.ts';
import { request } from '../api/request.ts';
import { CheckRegionQuery } from '../documents/regions.ts';
import type { Failure } from '../form/failure.ts';

export type Check = NonNullable<ResultOf<typeof CheckRegionQuery>['checkRegion']>;

interface Checked {
  check?: Check;
  failure?: Failure;
}

/** How long nothing must be typed before the cluster is asked. */
const typingMs = 300;

/** Asks the cluster of a region, or of a kubeconfig. Nothing is asked while both are empty. */
export function useCheck({ region, kubeconfig }: { region?: string; kubeconfig?: string }) {
  const [checked, setChecked] = useState<Checked>();
  const [count, setCount] = useState(0);
  const isNamed = Boolean(region || kubeconfig?.trim());
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the count changes
  useEffect(() => {
    setChecked(undefined);
    if (!isNamed) return;
    const ended = new AbortController();
    const look = async () => {
      const variables = { region: region ? { name: region } : null, kubeconfig: kubeconfig ?? null };
      const { data, failure } = await request(CheckRegionQuery, variables, ended.signal);
      setChecked(data?.checkRegion ? { check: data.checkRegion } : { failure });
    };
    const timer = setTimeout(() => look().catch(() => {}), kubeconfig ? typingMs : 0);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [region, kubeconfig, isNamed, count]);
  return {
    ...checked,
    isChecking: isNamed && checked === undefined,
    again: useCallback(() => setCount((before) => before + 1), []),
  };
}
