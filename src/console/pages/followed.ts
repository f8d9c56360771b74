import { useSearchParams } from 'wouter';
import type { ResultOf } from '../api/graphql.ts';
import type { InstancesQuery } from '../documents/instances.ts';
import { runPath } from '../runs/followed.ts';
import { setParam } from '../ui/set-param.ts';

type Instances = NonNullable<ResultOf<typeof InstancesQuery>['component']>['instances'];

/** The parameter of the address for whose logs are shown: the name of an instance, or a word for the one that fails. */
const name = 'instance';
const failing = 'failing';

/** The page with the logs of an instance, or of the one that does not run. */
export const logsPath = (uid: string, instance: string = failing) =>
  `/components/${uid}/logs?${new URLSearchParams({ [name]: instance })}`;

/** The first instance that does not run as it should. */
export const failingInstance = (instances: Instances | undefined, message = ''): string | undefined => {
  const failed = instances?.filter(({ reason }) => reason !== null) ?? [];
  return (failed.find(({ reason }) => message.includes(reason!)) ?? failed[0])?.name;
};

/** The instance whose logs are shown, or null for all. It is part of the address, so that others can link to it. */
export function useFollowed(instances: Instances | undefined) {
  const [params, setParams] = useSearchParams();
  const value = params.get(name);
  const followed = (value === failing ? failingInstance(instances) : value) ?? null;
  return [followed, (instance: string) => setParam(setParams)(name, instance)] as const;
}

/** Where the logs are that the page of a component showed for these parameters before it had tabs. */
export function movedTo(uid: string, params: URLSearchParams): string | undefined {
  const [logs, run] = [params.get('logs'), params.get('run')];
  if (logs) return logs === 'all' ? `/components/${uid}/logs` : logsPath(uid, logs);
  return run ? runPath(uid, run) : undefined;
}
