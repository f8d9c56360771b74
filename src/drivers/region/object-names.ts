import { createHash } from 'node:crypto';

/** A component by its name in the cluster, with which the names of its objects begin. */
interface Named {
  clusterName: string;
}

/** Hexadecimal digits that stand for a text. */
export const shortHash = (text: string, digits = 8) =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

/** A text as a DNS label, of at most `max` characters and the same for the same text. */
export function slug(text: string, max = 63): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (plain === text.toLowerCase() && plain.length <= max && plain !== '') return plain;
  return `${plain.slice(0, max - 9).replace(/-+$/, '')}-${shortHash(text)}`.replace(/^-/, 'v-').slice(0, max);
}

/** A name made of a component's and what an object adds to it. */
export const nameOf = ({ clusterName }: Named, addition: string) => slug(`${clusterName}-${addition}`);

/** The Service behind the rules of a component. */
export const backendName = (component: Named) => nameOf(component, 'backend');
/** The Service by which the instances of a component with state find each other. */
export const headlessName = (component: Named) => nameOf(component, 'headless');
export const tcpName = (component: Named, outerPort: number) => nameOf(component, `tcp-${outerPort}`);

/** The gateway of a team, in its namespace. */
export const gatewayName = 'trellis';
/** The gateway of the TCP rules of a component. */
export const tcpGatewayName = (component: Named) => nameOf(component, 'tcp');

/**
 * The names that controllers can give to the Deployment and the Service that they create for a gateway: `GATEWAY-CLASS`, as the
 * Gateway API recommends, and those in use before it did.
 */
export const namesForGateway = (gateway: string, gatewayClass: string | null): string[] =>
  gatewayClass === null ? [] : [gateway, `${gateway}-${gatewayClass}`, `${gatewayClass}-gateway-${gateway}`];

/** Whether a component has, or can have, a Service of a name beside those of its service names. */
export function isOtherService(component: Named, name: string): boolean {
  const outerPort = /-tcp-(\d{1,5})$/.exec(name)?.[1];
  return (
    name === backendName(component) ||
    name === headlessName(component) ||
    (outerPort !== undefined && name === tcpName(component, Number(outerPort)))
  );
}

export const podVolumeName = ({ name }: { name: string }) => slug(name, 50);
/** The volume of pods that has the files of a component. */
export const filesVolumeName = 'config-files';

/** How the claims of a volume are named: one for all instances, or one for each, with its number in the place of `#`. */
export const claimNameOf = (
  component: Named & { extendMethod: string },
  volume: { name: string },
): string => {
  const name = podVolumeName(volume);
  return component.extendMethod === 'state' ? `${name}-${component.clusterName}-#` : nameOf(component, name);
};

/**
 * How the claim of a volume is named that components of an application share. With a dot, which the names of components and volumes
 * do not have, it is never that of another claim.
 */
export const sharedClaimName = (applicationId: number, volume: { name: string }): string =>
  `${podVolumeName(volume)}.application-${applicationId}`;

/**
 * How the claims of instances are named of which a claim could be one: with `#` in the place of the number at the end. The name
 * itself if there is no number.
 */
export const numberedClaim = (name: string): string => name.replace(/\d+$/, '#');

/**
 * The cluster names that a component with a claim of the same name can have: the parts of the claim's name between hyphens. A long name
 * has hundreds of parts, so `isStart` returns whether the name of any component begins with a part.
 */
export function* possibleOwnersOf(
  component: Named & { extendMethod: string },
  volume: { name: string },
  isStart: (part: string) => boolean,
): Generator<string> {
  const claim = claimNameOf(component, volume);
  yield* partsOf(claim, isStart);
  // A long name is cut, and those that are equal before can have other parts.
  const whole = `${component.clusterName}-${podVolumeName(volume)}`;
  if (component.extendMethod !== 'state' && whole !== claim) yield* partsOf(whole, isStart);
}

function* partsOf(name: string, isStart: (part: string) => boolean): Generator<string> {
  const hyphens = hyphensIn(name);
  for (const from of [-1, ...hyphens]) {
    for (const to of hyphens) {
      if (to <= from + 1) continue;
      const part = name.slice(from + 1, to);
      if (!isStart(part)) break;
      yield part;
    }
  }
}

const hyphensIn = (name: string): number[] => [...name.matchAll(/-/g)].map(({ index }) => index);

/** What the name of a component begins with, up to each of its hyphens and as a whole. */
export const startsOf = ({ clusterName }: Named): string[] => [
  ...hyphensIn(clusterName).map((to) => clusterName.slice(0, to)),
  clusterName,
];

/** The letters in the generated parts of the names of pods. */
const generated = '[bcdfghjklmnpqrstvwxz2456789]';
/** The length that the prefixes of names of pods are cut to. */
const maxBaseLength = 58;
/** Names of components up to this length are not cut: ten letters and two hyphens follow. */
export const uncutLength = maxBaseLength - 12;

/**
 * The names of the pods of a component as a regular expression: those of a Deployment are named after a ReplicaSet, and those of
 * a StatefulSet have numbers. It is for the whole name, so that `web` does not match the pods of `web-api`.
 */
export const podPattern = ({ clusterName }: Named) =>
  clusterName.length <= uncutLength
    ? `${clusterName}-(${generated}{1,10}-${generated}{5}|[0-9]+)`
    : `${clusterName.slice(0, maxBaseLength)}(-[0-9]+|-?${generated}{0,10}-?${generated}{5})`;

/** The names of the ReplicaSets of a component as a regular expression for the whole name. */
export const replicaSetPattern = ({ clusterName }: Named) => `${clusterName}-${generated}{1,10}`;

/** Whether the name of a component is cut in the names of its pods. */
const isCutInPods = ({ clusterName }: Named) => clusterName.length > uncutLength;

const onlyGenerated = new RegExp(`^-?${generated}*-?${generated}*-?$`);
const canBeGenerated = new RegExp(`^(?:${generated}|-)$`);

/**
 * The beginning of the names of the pods of a component. Pods of two components can have names of the same form if this of one
 * component is among `podStartsIn` of the other. This takes a name that is cut: otherwise the number of hyphens after the
 * component's name shows whose pod it is.
 */
export const podStart = ({ clusterName }: Named): string =>
  isCutInPods({ clusterName }) ? clusterName.slice(0, maxBaseLength) : `${clusterName}-`;

/** The beginnings that pod names can seem to have, because the component's name is cut and the rest can be generated. */
export function podStartsIn({ clusterName }: Named): string[] {
  if (!isCutInPods({ clusterName })) return [];
  const base = clusterName.slice(0, maxBaseLength);
  const starts: string[] = [];
  for (let length = base.length; length > 0; length--) {
    const isStart = length > uncutLength || base[length - 1] === '-';
    if (isStart && onlyGenerated.test(base.slice(length))) starts.push(base.slice(0, length));
    if (!canBeGenerated.test(base[length - 1]!)) break;
  }
  return starts;
}

/** Names of Jobs up to this length are not cut in the names of their pods. */
const maxJobLength = maxBaseLength - 1;

/**
 * The name of the Job of a run. Its pods are found by it in log stores: it is not cut in their names, and no Job of another run
 * has it.
 */
export function jobNameOf({ clusterName }: Named, { id }: { id: string }): string {
  const name = `${clusterName}-run-${id.slice(0, 12)}`;
  if (name.length <= maxJobLength) return name;
  const end = `-run-${id}`;
  return `${clusterName.slice(0, maxJobLength - end.length).replace(/-+$/, '')}${end}`;
}

/** The names of the pods of a Job as a regular expression for the whole name. */
export const jobPodPattern = (jobName: string) => `${jobName}-${generated}{5}`;
