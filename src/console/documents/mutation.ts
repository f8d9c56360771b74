import type { VariablesOf } from '../api/graphql.ts';
import type { introspection } from '../generated/schema.d.ts';
import { FailureParts, PlanParts, upgradeOutcome } from './act-parts.ts';
import { OpeningParts } from './act-port.ts';
import { AutoscalingOf } from './autoscaling.ts';
import { CertificateParts } from './certificates.ts';
import { ManifestPlanParts } from './manifest.ts';
import { PlacementOf } from './placement.ts';
import { documentOf, type Typed } from './query.ts';
import { ImportParts, RemovalParts } from './regions.ts';

export type MutationName = keyof introspection['types']['Mutation']['fields'] & string;

export type InputOf<Name extends MutationName> = Name extends MutationName
  ? VariablesOf<Typed<`mutation ($input: ${Capitalize<Name>}Input!) { __typename }`, []>> extends {
      input: infer Input;
    }
    ? Input
    : never
  : never;

const ruleDone = 'rule { id revision accessUrl isPublished region { id driver servesAddresses } }';

/** What is read of payloads besides their plan and their job. */
const selections: { readonly [name in MutationName]?: string } = {
  addCertificate: 'certificate { ...CertificateParts }',
  addTrust: 'trust { id uid }',
  applyManifest: 'application { id uid }',
  cancelJob: 'cancelled: job { id status revision }',
  cancelRun: 'run { id status }',
  copyApplication: 'application { id uid name } leftStopped omitted { component name reason }',
  createAccessToken: 'secret accessToken { id name expiresAt }',
  createApplication: 'application { id uid name }',
  createComponent: 'component { id uid name }',
  createDeployHook: 'url',
  createHttpRule: ruleDone,
  createRegion: 'region { id uid name alias }',
  createSchedule: 'schedule { id }',
  createServiceAccount: 'serviceAccount { id uid name }',
  createTcpRule: ruleDone,
  createTeam: 'team { id uid name alias }',
  createUser: 'user { id uid }',
  createWebhook: 'secret',
  deployApplication: 'leftStopped',
  disableTemplateVersion: 'version { id isEnabled revision }',
  enableTemplateVersion: 'version { id isEnabled revision }',
  importNamespace: '...ImportParts',
  openInnerService: 'port { id isInner revision }',
  openOuterService: '...OpeningParts',
  promoteRelease: 'changes: plan { ...ManifestPlanParts }',
  publishApplication: 'omitted { component kind name } template { id uid name } version { id version }',
  publishTemplate: 'template { id uid name } version { id version }',
  removeAutoscaling: 'component { id replicas revision ...AutoscalingOf }',
  removeRegionOrphans: '...RemovalParts',
  replaceCertificate: 'certificate { ...CertificateParts }',
  rollbackApplication: 'changes: plan { ...ManifestPlanParts } omitted { object component name reason }',
  rollbackComponent: 'changes: plan { ...ManifestPlanParts }',
  rollbackUpgrade: `outcome { ${upgradeOutcome} }`,
  rotateDeployHook: 'url',
  rotateWebhookSecret: 'secret',
  runComponent: 'run { id }',
  scaleComponent: 'component { id replicas cpuMillicores memoryMiB revision }',
  setAutoscaling: 'component { id replicas revision ...AutoscalingOf }',
  setPlacement: 'component { id revision hasUndeployedChanges ...PlacementOf }',
  setProbes: 'component { id revision hasUndeployedChanges }',
  updateApplication: 'application { id name note principal revision }',
  updateComponent: 'component { id name image version revision }',
  updateDeployHook: 'deployHook { id name tagPattern revision }',
  updateHttpRule: ruleDone,
  updateSchedule: 'schedule { id isPaused }',
  updateTcpRule: ruleDone,
  upgradeApplication: `outcomes { ${upgradeOutcome} }`,
};

const fragments = {
  AutoscalingOf,
  CertificateParts,
  FailureParts,
  ImportParts,
  ManifestPlanParts,
  OpeningParts,
  PlacementOf,
  PlanParts,
  RemovalParts,
};

/** What is read of every payload that has it. */
const common = { plan: 'plan { ...PlanParts }', job: 'job { id uid }' } as const;
type Common = keyof typeof common;

/** The fields of payloads that are read without a selection, by the name of the mutation. */
export type Payloads = { readonly [name: string]: readonly Common[] | undefined };

/** The document of a mutation: what is read of its payload, or why it was refused. */
export function mutationDocument(name: MutationName, payloads: Payloads) {
  const type = name.slice(0, 1).toUpperCase() + name.slice(1);
  const selection = selections[name] ?? '';
  const fields = payloads[name]?.filter((field) => !selection.includes(`${field} {`)) ?? [];
  const all = [...fields.map((field) => common[field]), selection].join(' ');
  const payload = all && `... on ${type}Payload { ${all} }`;
  const text = `mutation ${type}($input: ${type}Input!) {
    result: ${name}(input: $input) { __typename ${payload} ... on Error { ...FailureParts } }
  }`;
  const used = Object.entries(fragments).filter(([fragment]) => text.includes(`...${fragment} `));
  return documentOf(
    text,
    used.map(([, fragment]) => fragment),
  );
}
