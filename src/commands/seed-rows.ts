// The rows of the synthetic data, by index.
import { createHash } from 'node:crypto';
import type { Row } from '../db/tables.ts';
import { imageTag } from '../domain/component/model.ts';
import { defaultAlias } from '../domain/port/model.ts';
import { fold } from '../kernel/validate.ts';
import { applicationName, componentKind, regionNames, teamName } from './seed-names.ts';

const start = Date.UTC(2026, 0, 5, 8);
const minuteMs = 60_000;

/** 32 hexadecimal digits derived from the name. */
const idOf = (name: string) => createHash('sha256').update(`seed ${name}`).digest('hex').slice(0, 32);
/** A pseudorandom number below `bound`, derived from the id. */
const pick = (id: string, bound: number) => Number.parseInt(id.slice(0, 8), 16) % bound;
const at = (minutes: number) => new Date(start + minutes * minuteMs);

export const teamId = (index: number) => idOf(`team ${index}`);

export function regionRow(enterpriseId: string, name: string, index: number) {
  const alias = `Synthetic region ${name.slice(-2).toUpperCase()}`;
  return {
    id: idOf(`region ${index}`),
    enterpriseId,
    name,
    alias,
    url: `https://api.${name}.trellis.example:8443`,
    websocketUrl: `wss://ws.${name}.trellis.example:6060`,
    httpDomain: `${name}.apps.trellis.example`,
    tcpDomain: `tcp.${name}.trellis.example`,
    status: 'enabled',
    description: 'Synthetic load.',
    cpuCores: 4_096,
    memoryMiB: 16_777_216,
    diskGiB: 1_048_576,
    createdAt: at(index),
    folded: fold(name, alias),
  };
}

/** Two of three regions. */
const regionsOf = (team: number) =>
  [team, team + 1].map((index) => idOf(`region ${index % regionNames.length}`));

export function teamRow({ id: creatorId, enterpriseId }: Row<'User'>, index: number) {
  const name = teamName(index);
  const alias = name
    .split('-')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join(' ');
  return {
    id: teamId(index),
    enterpriseId,
    name,
    alias,
    creatorId,
    createdAt: at(index),
    folded: fold(name, alias),
  };
}

export const membershipRow = (owner: Row<'User'>, team: ReturnType<typeof teamRow>) => ({
  id: idOf(`membership ${team.id}`),
  teamId: team.id,
  userId: owner.id,
  role: 'owner',
  joinedAt: team.createdAt,
});

export const teamRegionRows = (team: number) =>
  regionsOf(team).map((regionId) => ({
    teamId: teamId(team),
    regionId,
    cpuQuotaMillicores: 512_000,
    memoryQuotaMiB: 1_048_576,
    openedAt: at(team),
  }));

export function applicationRow(owner: Row<'User'>, team: number, index: number) {
  const name = applicationName(index);
  return {
    teamId: teamId(team),
    regionId: regionsOf(team)[index % 2]!,
    name,
    note: `Synthetic load: ${name} of ${teamName(team)}.`,
    principal: owner.nickName,
    governanceMode: 'KUBERNETES_NATIVE_SERVICE',
    createdAt: at(team + index),
    updatedAt: at(team + index),
    folded: fold(name),
  };
}
type ApplicationRow = ReturnType<typeof applicationRow>;

export function componentRow(
  { id: creatorId }: Row<'User'>,
  { teamId, regionId, name: application, createdAt }: ApplicationRow,
  applicationId: number,
  index: number,
) {
  const { name, image } = componentKind(index);
  const id = idOf(`component ${teamId} ${application} ${name}`);
  const alias = `${application.toLowerCase().replaceAll(' ', '-')}-${name}`;
  const chance = pick(id, 100);
  return {
    id,
    applicationId,
    teamId,
    regionId,
    creatorId,
    key: idOf(`key ${id}`),
    alias,
    name,
    clusterName: alias,
    ownedClusterName: alias,
    serviceName: alias,
    deployState: chance < 90 ? 'running' : chance < 96 ? 'closed' : 'undeploy',
    version: imageTag(image)!,
    image,
    replicas: 1 + (chance % 3),
    cpuMillicores: 100 * (1 + (chance % 10)),
    memoryMiB: 128 * 2 ** (chance % 5),
    extendMethod: ['db', 'cache', 'queue', 'search'].includes(name.split('-')[0]!) ? 'state' : 'stateless',
    sourceKind: 'container_run',
    createdAt,
    updatedAt: createdAt,
    folded: fold(name, alias),
  };
}
type ComponentRow = ReturnType<typeof componentRow>;

/** A port of a component. The first is that of its role. */
export function portRow(component: ComponentRow, kindIndex: number, index: number) {
  const kind = componentKind(kindIndex);
  const number = index === 0 ? kind.number : 20_000 + index;
  return {
    componentId: component.id,
    number,
    protocol: index === 0 ? kind.protocol : 'http',
    alias: defaultAlias(component.alias, number),
    isInner: index === 0 || pick(component.id, 2) === 0,
    // A port that is open to the outside would need gateway rules.
    isOuter: false,
    createdAt: component.createdAt,
  };
}
