import { badRequest } from './status.ts';

type Test = (object: any) => boolean;

const name = /^([a-z0-9.-]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A label selector: `a=b,c!=d,e in (f,g),h,!i`. */
export function labelTest(selector: string | null): Test {
  if (!selector) return () => true;
  const tests = selector.split(/,(?![^(]*\))/).map((part): ((labels: any) => boolean) => {
    const set = /^\s*(\S+)\s+(in|notin)\s+\(([^)]*)\)\s*$/.exec(part);
    if (set) {
      const values = set[3]!.split(',').map((each) => each.trim());
      return (labels) => values.includes(labels[set[1]!]) === (set[2] === 'in');
    }
    if (part.startsWith('!')) return (labels) => labels[part.slice(1)] === undefined;
    const [key, value, ...rest] = part.split(/==|!=|=/);
    if (rest.length > 0 || !name.test(key!) || (value && !name.test(value))) {
      throw badRequest(`unable to parse requirement: found '${part}', expected: ',' or 'end of string'`);
    }
    if (value === undefined) return (labels) => labels[key!] !== undefined;
    if (part.includes('!=')) return (labels) => labels[key!] !== value;
    return (labels) => labels[key!] === value;
  });
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
}

const fields: { [plural: string]: string[] } = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  events: [
    ...['kind', 'name', 'namespace', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
      (each) => `involvedObject.${each}`,
    ),
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  secrets: ['type'],
  namespaces: ['status.phase'],
  replicasets: ['status.replicas'],
  jobs: ['status.successful'],
};

/** A field selector, as far as the kind supports the field. */
export function fieldTest(plural: string, selector: string | null): Test {
  if (!selector) return () => true;
  const tests = selector.split(',').map((part): Test => {
    const [path, value] = part.split(/==|!=|=/);
    if (!['metadata.name', 'metadata.namespace', ...(fields[plural] ?? [])].includes(path!)) {
      throw badRequest(`field label not supported: ${path}`);
    }
    const found = (object: any) => path!.split('.').reduce((at, step) => at?.[step], object) ?? '';
    return (object) => (String(found(object)) === value) !== part.includes('!=');
  });
  return (object) => tests.every((test) => test(object));
}
