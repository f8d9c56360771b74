import { z } from 'zod';
import { displayName, dryRunField, line, prose } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { createComponent, variableName, variableScope } from '../component/model.ts';
import { regionRef } from '../region/model.ts';
import { teamRef } from '../team/model.ts';

/** What happens to the secret variables of an application. */
export const secretModes = {
  copy: 'The copy has the secret variables with their values. Requires the right to read them.',
  omit: 'They are left out of the copy and listed in `omitted`.',
} as const;
export const secretMode = z.enum(['copy', 'omit']);
export type SecretMode = z.infer<typeof secretMode>;

/** What happens to the volumes of an application. Files and memory have no data, and are always copied. */
export const volumeModes = {
  empty: 'The copy has the volumes without their data.',
  from_snapshot:
    'The copy has the volumes with the data of their newest ready snapshots. Volumes without a ready snapshot are empty and listed in `omitted`. Requires the right to restore snapshots of the application, and a copy in the same region.',
  omit: 'They are left out of the copy and listed in `omitted`.',
} as const;
export const volumeMode = z.enum(['empty', 'from_snapshot', 'omit']);
export type VolumeMode = z.infer<typeof volumeMode>;

/** The most images, and the most variables, of one copy. */
const maxGiven = { images: 500, variables: 1_000 };

const component = line(255).describe('The name of the component.');

export const copiedImage = z.strictObject({
  component,
  image: createComponent.shape.image.describe('The image in the copy.'),
});
export type CopiedImage = z.infer<typeof copiedImage>;

export const copiedVariable = z.strictObject({
  component,
  name: variableName.describe('The name of the variable.'),
  scope: variableScope.nullish().describe('The scope of the variable. Defaults to ENVIRONMENT.'),
  value: prose(65_536).describe('The value. Encrypted at rest if the variable is a secret.'),
  isSecret: z
    .boolean()
    .nullish()
    .describe(
      'Whether the value is a secret. Defaults to that of the variable that is copied; for a new variable, to true if the name contains PASSWORD, SECRET, TOKEN, PRIVATE_KEY or ACCESS_KEY, in any case.',
    ),
});
export type CopiedVariable = z.infer<typeof copiedVariable>;

export const copiedImages = z.array(copiedImage).max(maxGiven.images);
export const copiedVariables = z.array(copiedVariable).max(maxGiven.variables);

export const copyApplication = z.strictObject({
  application: applicationRef.describe('The application to copy. All of it must be visible to the caller.'),
  name: displayName(128).describe('The name of the copy, unique in the team and region.'),
  team: teamRef
    .nullish()
    .describe('The team that the copy belongs to. Defaults to the team of the application.'),
  region: regionRef
    .nullish()
    .describe(
      'The region that the copy runs in. It must be open for the team, and enabled. Defaults to the region of the application.',
    ),
  images: copiedImages.nullish().describe('The images of components that get a different image.'),
  variables: copiedVariables
    .nullish()
    .describe('Variables to add to the copy, or to set to other values than in the application.'),
  secrets: secretMode
    .nullish()
    .describe('The handling of secret variables that are not in `variables`. Defaults to COPY.'),
  volumes: volumeMode.nullish().describe('The handling of volumes. Defaults to EMPTY.'),
  deploy: z
    .boolean()
    .nullish()
    .describe('Whether to deploy the components that are running in the application. Defaults to false.'),
  dryRun: dryRunField,
});
export type CopyApplication = z.infer<typeof copyApplication>;

/** What a copy leaves out, besides its history: releases, jobs, runs, upgrades and the record. */
export const omissionKinds = {
  address: 'The default address of a port in a variable or a file.',
  application: 'A setting that only one application can have.',
  certificate: 'The certificate of an HTTP rule.',
  component: 'A component.',
  dependency: 'A dependency on a component of another application, or on a component that is left out.',
  deploy_hook: 'A deploy hook.',
  http_rule: 'An HTTP rule for a domain of the application.',
  manifest: 'The membership of the application in a manifest.',
  root: 'The setting of a component to run as root.',
  schedule: 'A schedule of runs.',
  secret: 'A secret variable.',
  snapshot_schedule: 'The snapshot schedule of a volume.',
  store: 'The connection of an installed template to its app store.',
  tcp_rule: 'A TCP rule, or the mapped address of one.',
  volume: 'A volume, its data, or its sharing.',
} as const;
export type OmissionKind = keyof typeof omissionKinds;
export const omissionKind = z.enum(Object.keys(omissionKinds) as [OmissionKind]);

/** Something that a copy leaves out, or that is different in it. */
export interface Omission {
  kind: OmissionKind;
  /** The name of the component. Null for a part of the application itself. */
  component: string | null;
  name: string;
  reason: string;
}
