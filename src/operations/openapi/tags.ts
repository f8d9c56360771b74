/** The tags of operations in the OpenAPI document. */
export const tags = {
  Access:
    'The caller, its access tokens and sessions, service accounts and what they trust, and the limits of requests.',
  People: 'Users, members of teams, and roles.',
  Teams: 'Teams and their resources, events and credentials.',
  Regions: 'Regions: the clusters that run the applications of teams.',
  Applications: 'Applications: related components of a team, their manifests, and their previews.',
  Components:
    'Components: the running instances of an image, with their variables, volumes, dependencies, releases, runs, schedules and deploy hooks.',
  Ports: 'The network ports of components.',
  'Gateway rules': 'The rules that expose components to the outside, and the certificates that they use.',
  'App store': 'Templates, their installation and upgrades.',
  Webhooks: 'Webhooks: URLs that the events of a team are sent to, and their deliveries.',
  Jobs: 'Jobs: what clusters carry out.',
  Objects: 'Objects of any type.',
};

export type Tag = keyof typeof tags;

/** The first that matches the path of an operation is its tag. */
const byPath: [RegExp, Tag][] = [
  [/webhook|deliver/, 'Webhooks'],
  [/access-token|session|viewer|service-account|trust/, 'Access'],
  [/user|member|role|administrator/, 'People'],
  [/rule|certificate/, 'Gateway rules'],
  [/template|upgrade|install|publish/, 'App store'],
  [/region-orphans|region-teams|namespace|(create|update|delete|check|get)-region$|list-regions/, 'Regions'],
  [/team|event|credential/, 'Teams'],
  [/port$|ports$|port-|inner-service|outer-service/, 'Ports'],
  [/job/, 'Jobs'],
  [/application|manifest|preview/, 'Applications'],
  [
    /component|variable|volume|dependenc|probe|instance|logs|image|deploy-hook|release|autoscaling|placement|schedule|(cancel|get|list)-runs?$/,
    'Components',
  ],
  [/node/, 'Objects'],
  [/limits/, 'Access'],
];

export function tagOf(path: string): Tag {
  const [, tag] = byPath.find(([pattern]) => pattern.test(path)) ?? [];
  if (!tag) throw new Error(`The operation ${path} has no tag.`);
  return tag;
}
