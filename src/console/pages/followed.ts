import { useSearchParams } from 'wouter';
import type { ResultOf } from '../api/graphql.ts';
import type { InstancesQuery } from '../documents/instances.ts';
import { setParam } from '../ui/set-param.ts';

type Instances = NonNullable<ResultOf<typeof InstancesQuery>['component']>['instances'];

/** The parameter of the address for the logs: the name of an instance, or one of these words. */
const name = 'logs';
const words = { all: 'all', failing: 'failing' } as const;

/** The page of a component with the logs of an instance, or of the one that does not run. */
export const logsPath = (uid: string, instance: string = words.failing) =>
  `/components/${uid}?${new URLSearchParams({ [name]: instance })}`;

/** The first instance that does not run as it should. */
export const failingInstance = (instances: Instances | undefined, message = ''): string | undefined => {
  const failing = instances?.filter(({ reason }) => reason !== null) ?? [];
  return (failing.find(({ reason }) => message.includes(reason!)) ?? failing[0])?.name;
};

/** Whose logs are shown: null for all instances, undefined for none. They are part of the address, so that others can link to them. */
export function useFollowed(failing: string | undefined) {
  const [params, setParams] = useSearchParams();
  const value = params.get(name);
  const followed =
    value === null ? undefined : value === words.all ? null : value === words.failing ? failing : value;
  const follow = (instance: string | null | undefined) =>
    setParam(setParams)(name, instance === undefined ? '' : (instance ?? words.all));
  return [followed, follow] as const;
}
