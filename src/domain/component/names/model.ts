import {
  filesVolumeName,
  gatewayName,
  isOtherService,
  namesForGateway,
  podStart,
  podStartsIn,
  podVolumeName,
  tcpGatewayName,
} from '../../../drivers/region/object-names.ts';
import { getOrCompute, memoizeByIdentity } from '../../../kernel/memo.ts';

/** The types of volumes that have no claim in a cluster. */
const withoutClaim: ReadonlySet<string> = new Set(['config-file', 'memoryfs']);
export const hasClaim = ({ type }: { type: string }) => !withoutClaim.has(type);

/** The Services of components beside those of their service names are named after these. */
const suffixes = /^(.+)-(?:backend|headless|tcp-\d{1,5})$/;

/** The cluster names of the components for whose TCP gateways controllers can create an object of a name. */
export function gatewayOwners(name: string, { gatewayClass }: Gateways): string[] {
  const owners = [
    name,
    beforeEnd(name, `-${gatewayClass}`),
    afterStart(name, `${gatewayClass}-gateway-`),
  ].map((gateway) => beforeEnd(gateway, '-tcp'));
  return owners.filter((clusterName) =>
    namesForGateway(tcpGatewayName({ clusterName }), gatewayClass).includes(name),
  );
}

const beforeEnd = (text: string, end: string) => (text.endsWith(end) ? text.slice(0, -end.length) : text);
const afterStart = (text: string, start: string) =>
  text.startsWith(start) ? text.slice(start.length) : text;

/** The cluster name of the component that can have a Service of a name beside those of its service names. */
export const componentBehind = (serviceName: string): string | undefined => suffixes.exec(serviceName)?.[1];

/** Why a name is taken. `why` begins a sentence, which ends with the owner if there is one. */
interface Taken<Owner> {
  why: string;
  owner?: Owner;
}

/** Why a name is taken, as a sentence. */
export const takenSentence = <Owner>(
  { why, owner }: Taken<Owner>,
  nameOf: (owner: Owner) => string,
): string => (owner === undefined ? `${why}.` : `${why} ${nameOf(owner)}.`);

/** The gateways of a namespace, whose controllers create objects beside those of the components. */
export interface Gateways {
  /** Null if there are none. */
  gatewayClass: string | null;
  hasTeamGateway: boolean;
}

/** Whether a controller can give a name to what it creates for the gateway of a team. */
export const isForTeamGateway = (name: string, { gatewayClass, hasTeamGateway }: Gateways): boolean =>
  hasTeamGateway && namesForGateway(gatewayName, gatewayClass).includes(name);

export const withoutGateways: Gateways = { gatewayClass: null, hasTeamGateway: false };

/**
 * The names that the components of a namespace have in the cluster, each with whose it is. New ones are added, so that those of one
 * change do not meet either.
 */
export class NamesInUse<Owner> {
  readonly clusterNames = new Map<string, Owner>();
  readonly serviceNames = new Map<string, Owner>();
  /** By what the names of pods begin with, and by what those of components with cut names can seem to begin with. */
  readonly #podStarts = new Map<string, Owner>();
  readonly #seemingPodStarts = new Map<string, Owner>();
  /** The service names that can be those of other Services, by the cluster name of the component that would have them. */
  readonly #behind = new Map<string, { name: string; owner: Owner }[]>();
  /** What controllers can call the objects of the TCP gateways of components. */
  readonly #forGateways = new Map<string, Owner>();
  readonly #gateways: Gateways;

  constructor(gateways: Gateways) {
    this.#gateways = gateways;
  }

  #namesForGatewayOf(clusterName: string): string[] {
    return namesForGateway(tcpGatewayName({ clusterName }), this.#gateways.gatewayClass);
  }

  addComponent(clusterName: string, owner: Owner): void {
    this.clusterNames.set(clusterName, owner);
    for (const name of this.#namesForGatewayOf(clusterName)) this.#forGateways.set(name, owner);
    this.#podStarts.set(podStart({ clusterName }), owner);
    for (const start of podStartsIn({ clusterName })) this.#seemingPodStarts.set(start, owner);
  }

  addService(name: string, owner: Owner): void {
    this.serviceNames.set(name, owner);
    const clusterName = componentBehind(name);
    if (clusterName === undefined) return;
    getOrCompute(this.#behind, clusterName, () => []).push({ name, owner });
  }

  /** Whose objects those of a new component would meet, and why. */
  clusterNameTaken(clusterName: string): Taken<Owner> | undefined {
    if (this.clusterNames.has(clusterName)) {
      const owner = this.clusterNames.get(clusterName)!;
      return { owner, why: `The cluster name ${clusterName} belongs to` };
    }
    const reserved = this.#takenByGateway(clusterName, `The cluster name ${clusterName}`);
    if (reserved) return reserved;
    for (const name of this.#namesForGatewayOf(clusterName)) {
      const owner = this.clusterNames.get(name) ?? this.serviceNames.get(name);
      if (owner === undefined) continue;
      const why = `With the cluster name ${clusterName}, objects of its TCP gateway could get the name ${name} of`;
      return { owner, why };
    }
    const component = { clusterName };
    const service = this.#behind.get(clusterName)?.find(({ name }) => isOtherService(component, name));
    if (service) {
      const why = `With the cluster name ${clusterName}, a Service would get the service name ${service.name} of`;
      return { owner: service.owner, why };
    }
    return this.#podsTaken(clusterName);
  }

  #takenByGateway(name: string, theName: string): Taken<Owner> | undefined {
    if (isForTeamGateway(name, this.#gateways))
      return { why: `${theName} is reserved for the gateway of the team` };
    const owner = this.#forGateways.get(name);
    return owner === undefined ? undefined : { owner, why: `${theName} is reserved for the TCP gateway of` };
  }

  /** Looks up what names begin with, because a team can have thousands of components. */
  #podsTaken(clusterName: string): Taken<Owner> | undefined {
    const why = `Kubernetes shortens the names of pods: with the cluster name ${clusterName}, its pods could have the same names as pods of`;
    const start = podStart({ clusterName });
    if (this.#seemingPodStarts.has(start)) return { owner: this.#seemingPodStarts.get(start)!, why };
    const met = podStartsIn({ clusterName }).find((each) => this.#podStarts.has(each));
    return met === undefined ? undefined : { owner: this.#podStarts.get(met)!, why };
  }

  /** Whose a service name is, or whose other Service would have it. */
  serviceNameTaken(name: string): Taken<Owner> | undefined {
    if (this.serviceNames.has(name)) {
      return { owner: this.serviceNames.get(name)!, why: `The service name ${name} belongs to` };
    }
    const reserved = this.#takenByGateway(name, `The service name ${name}`);
    if (reserved) return reserved;
    const clusterName = componentBehind(name);
    if (clusterName === undefined || !this.clusterNames.has(clusterName)) return undefined;
    if (!isOtherService({ clusterName }, name)) return undefined;
    return {
      owner: this.clusterNames.get(clusterName)!,
      why: `The service name ${name} is reserved for another Service of`,
    };
  }

  /** The names that new components cannot have. Their own names are added. */
  takenBy(owner: Owner): { clusterNames: TakenNames; serviceNames: TakenNames } {
    return {
      clusterNames: {
        has: (name) => this.clusterNameTaken(name) !== undefined,
        add: (name) => this.addComponent(name, owner),
      },
      serviceNames: {
        has: (name) => this.serviceNameTaken(name) !== undefined,
        add: (name) => this.addService(name, owner),
      },
    };
  }
}

/** Names that cannot be used. A set of names is one, too. */
export interface TakenNames {
  has(name: string): boolean;
  add(name: string): unknown;
}

/** The numbers of the last names that were reserved: those of lower ones stay in use. */
const numbersIn = memoizeByIdentity((_: TakenNames) => new Map<string, number>());

/** Reserves the name, with the lowest numeric suffix that makes it unique. With a suffix, it has at most `max` characters. */
export function freeName(wanted: string, taken: TakenNames, max: number): string {
  const numbers = numbersIn(taken);
  const named = (number: number) => {
    const suffix = `-${number}`;
    return number === 1 ? wanted : `${wanted.slice(0, max - suffix.length).replace(/-+$/, '')}${suffix}`;
  };
  const key = `${max} ${wanted}`;
  let number = numbers.get(key) ?? 1;
  while (taken.has(named(number))) number++;
  numbers.set(key, number);
  taken.add(named(number));
  return named(number);
}

/** Volumes of a component, by their types. */
interface NamedVolume {
  name: string;
  type: string;
}

/**
 * The volume whose name is the same in the cluster as that of another volume of its component: there, letters have no case, and
 * characters other than letters and digits become hyphens. Files have no names there.
 */
export function repeatedVolume<V extends NamedVolume>(
  volumes: readonly V[],
): { volume: V; index: number; other: string } | undefined {
  const used = new Map<string, string>([[filesVolumeName, 'the files of the component']]);
  for (const [index, volume] of volumes.entries()) {
    if (volume.type === 'config-file') continue;
    const name = podVolumeName(volume);
    const other = used.get(name);
    if (other !== undefined) return { volume, index, other };
    used.set(name, `the volume ${volume.name}`);
  }
  return undefined;
}
