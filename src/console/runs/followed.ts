import { useSearchParams } from 'wouter';
import { setParam } from '../ui/set-param.ts';

/** The parameter of the address for the run whose log is shown. */
const name = 'run';

/** The page of a component with the log of a run. */
export const runPath = (component: string, run: string) =>
  `/components/${component}/runs?${new URLSearchParams({ [name]: run })}`;

/** The `uid` of the run whose log is shown. It is part of the address, so that others can link to it. */
export function useFollowedRun() {
  const [params, setParams] = useSearchParams();
  return [params.get(name), (uid: string) => setParam(setParams)(name, uid)] as const;
}
