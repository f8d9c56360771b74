import type { useSearchParams } from 'wouter';

type SetParams = ReturnType<typeof useSearchParams>[1];

/** Sets one parameter of the address, which stays one step of the history. */
export const setParam = (setParams: SetParams) => (name: string, value: string) =>
  setParams(
    (before) => {
      const next = new URLSearchParams(before);
      if (value) next.set(name, value);
      else next.delete(name);
      return next;
    },
    { replace: true },
  );
