import { z } from 'zod';
import { storeAccessKey, storeDomain, storeUrl } from '../../drivers/app-store/driver.ts';
import { storeId, storeVersionName } from '../../drivers/app-store/template.ts';
import { integerId, reference } from '../../kernel/reference.ts';
import {
  displayName,
  displayProse,
  dryRunField,
  expectedRevision,
  line,
  logo,
  prose,
} from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { startStopped } from '../component/deploy/scope-model.ts';
import { componentGroupRef, variableName, variableScope } from '../component/model.ts';

/** Types of app stores, which determine their protocol. */
export const storeType = z.enum(['standard']);

export const store = z.strictObject({
  url: storeUrl().describe('The URL of the store, `http` or `https`.'),
  domain: storeDomain().describe('The domain of the store. Can be empty.'),
  type: storeType.nullish().describe('The type of the store. Defaults to STANDARD.'),
  accessKey: storeAccessKey().describe(
    'The access key for the store. Stored encrypted; it cannot be read again.',
  ),
});

/** The most records of upgrades and rollbacks of a group. */
export const maxUpgradeRecords = 50;

/** The most values for variables of a template. */
const maxValues = 10_000;

export const templateVariable = z.strictObject({
  component: line(255).describe('The key or the unique name of the component in the template.'),
  name: variableName.describe('The name of the variable.'),
  scope: variableScope.nullish().describe('The scope of the variable. Defaults to ENVIRONMENT.'),
  value: prose(65_536).describe('The value.'),
});
export type TemplateVariable = z.infer<typeof templateVariable>;

const templateVariables = z
  .array(templateVariable)
  .max(maxValues)
  .nullish()
  .describe(
    'Values for variables of the template. Those in `TemplateVersion.requiredVariables` are required where they are new.',
  );

const acceptsCredentials = z
  .boolean()
  .nullish()
  .describe(
    'Whether to add the registry credentials in the template to those of the team. Credentials that the team already has for a host are kept. If false, the credentials in the template are listed in `omitted`. Requires the same right as `createRegistryCredential`, because all components of the team use the credentials. Defaults to false.',
  );

export const installApplication = z.strictObject({
  application: applicationRef.describe('The application to add the components to.'),
  store: store.describe('The store that offers the template.'),
  templateId: storeId().describe('The key of the template in the store.'),
  version: storeId().describe('The version of the template.'),
  deploy: z.boolean().nullish().describe('Whether to deploy the components immediately. Defaults to false.'),
  variables: templateVariables,
  acceptsCredentials,
  dryRun: dryRunField,
});
export type InstallApplication = z.infer<typeof installApplication>;

export const templateUpgrade = z.strictObject({
  storeName: line(255).describe('The name of the store, as in `Application.upgrades`.'),
  templateId: storeId().describe('The key of a template that is installed in the application.'),
  version: storeId().describe("The version to upgrade to, one of the template's `upgradeVersions`."),
  variables: templateVariables,
});

const startStoppedIfChanged =
  'Whether to deploy stopped components that change as well, which starts them. Defaults to false.';

/** The most templates in one upgrade. */
export const maxUpgrades = 50;

export const upgradeApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  upgrades: z
    .array(templateUpgrade)
    .min(1)
    .max(maxUpgrades)
    .describe('The templates to upgrade, with their new versions. Either all of them are upgraded or none.'),
  startStopped: startStopped.describe(startStoppedIfChanged),
  acceptsCredentials,
  expectedRevision: expectedRevision('the application'),
  dryRun: z
    .boolean()
    .nullish()
    .describe('Whether to return the planned changes without making them. Defaults to false.'),
});
export type UpgradeApplication = z.infer<typeof upgradeApplication>;

export const rollbackUpgrade = z.strictObject({
  group: componentGroupRef.describe('The group of components that was upgraded.'),
  startStopped: startStopped.describe(startStoppedIfChanged),
  expectedRevision: expectedRevision('the group'),
  dryRun: z
    .boolean()
    .nullish()
    .describe('Whether to return the planned changes without making them. Defaults to false.'),
});
export type RollbackUpgrade = z.infer<typeof rollbackUpgrade>;

export const upgradeKinds = {
  upgrade: 'An upgrade to a newer version.',
  rollback: 'A rollback to the version before an upgrade.',
} as const;
export const upgradeKind = z.enum(Object.keys(upgradeKinds) as [keyof typeof upgradeKinds]);

/** A variable of a template for which an install has to give a value. */
export interface RequiredVariable {
  /** The key of the component in the template. */
  componentKey: string;
  componentName: string;
  name: string;
  scope: 'environment' | 'connection';
}

export const templateRef = reference('template', {
  templateId: integerId('The `uid` of the published template.'),
});

/** The maximum size of a published template, in bytes. */
export const maxTemplateBytes = 8 * 1024 * 1024;

const templateVersion = {
  template: templateRef.describe('The published template.'),
  version: storeId().describe('The version.'),
  expectedRevision: expectedRevision('the version'),
};

export const disableTemplateVersion = z.strictObject(templateVersion);
export const enableTemplateVersion = z.strictObject(templateVersion);
export type TemplateVersionInput = z.infer<typeof enableTemplateVersion>;

export const deleteTemplateVersion = z.strictObject({ ...templateVersion, dryRun: dryRunField });
export type DeleteTemplateVersion = z.infer<typeof deleteTemplateVersion>;

export const publishTemplate = z.strictObject({
  template: z
    .string()
    .min(2)
    .max(maxTemplateBytes)
    .describe('The template: a JSON string in the format of the store protocol.'),
  name: displayName(128).nullish().describe('The display name. Defaults to the name in the template.'),
  description: displayProse(4096)
    .nullish()
    .describe('A description of the template. Unchanged if omitted; empty if the template is new.'),
  logo: logo({ orNone: true })
    .nullish()
    .describe(
      'The logo: an `https` URL, or a `data:image/…` URL of at most 64 KiB. Set to the empty string to remove it. Unchanged if omitted.',
    ),
  versionAlias: displayName(255)
    .nullish()
    .describe('The display name of the version. Defaults to the version.'),
  versionDescription: displayProse(4096).nullish().describe('A description of the version.'),
  isEnabled: z
    .boolean()
    .nullish()
    .describe('Whether the version is offered for installs and upgrades. Defaults to true.'),
  expectedRevision: z
    .int32()
    .min(0)
    .nullish()
    .describe(
      'The expected revision of the version, or 0 if it must not exist yet. Fails with CONFLICT otherwise. Not checked if omitted.',
    ),
});
export type PublishTemplate = z.infer<typeof publishTemplate>;

/** Where published templates are. */
export const templateCatalogue = z.enum(['team', 'enterprise']);

export const publishApplication = z.strictObject({
  application: applicationRef.describe('The application to publish in its current state.'),
  catalogue: templateCatalogue
    .nullish()
    .describe(
      'The catalogue to publish to. Defaults to the catalogue of `template` or, for a new template, to TEAM.',
    ),
  template: templateRef
    .nullish()
    .describe('The published template to add the version to. A new template by default.'),
  version: storeVersionName().describe('The version. Publishing a version again replaces it.'),
  name: displayName(128)
    .nullish()
    .describe(
      'The display name of the template. Unchanged if omitted; the name of the application if it is new.',
    ),
  description: publishTemplate.shape.description,
  logo: publishTemplate.shape.logo,
  versionAlias: publishTemplate.shape.versionAlias,
  versionDescription: publishTemplate.shape.versionDescription,
  isEnabled: publishTemplate.shape.isEnabled,
  expectedRevision: publishTemplate.shape.expectedRevision,
});
export type PublishApplication = z.infer<typeof publishApplication>;

/** The parts of an application that its template omits. */
export const omittedKinds = {
  secret: 'The value of a secret variable. It must be set when the template is installed.',
  dependency: 'A dependency on a component of another application.',
  address: 'A domain or endpoint of a gateway rule. The installed port gets default addresses.',
  certificate: 'The certificate of a gateway rule.',
  placement: 'The placement of a component. Nodes of other regions have other labels and taints.',
  autoscaling: 'Autoscaling. The installed component has the current number of instances.',
  schedule: 'A schedule of runs.',
  snapshot_schedule: 'The snapshot schedule of a volume.',
} as const;
export type OmittedKind = keyof typeof omittedKinds;
export const omittedKind = z.enum(Object.keys(omittedKinds) as [OmittedKind]);

export interface OmittedItem {
  kind: OmittedKind;
  component: string;
  /** The variable, the id of the dependency if the caller may see it, the address, the schedule or the volume; for others the component. */
  name: string;
}

/** The kinds of changes that an upgrade makes. */
export const changeKinds = {
  ADD_COMPONENT: 'Adds a component of the new version.',
  CLOSE_COMPONENT: 'Stops a component that the new version no longer contains. The component is not deleted.',
  SET: 'Sets a field of a component to its value in the new version.',
  ADD_VARIABLE: 'Adds an environment variable of the new version.',
  SET_VARIABLE: 'Sets an environment variable to its value in the new version.',
  REMOVE_VARIABLE:
    'Removes an environment variable that the new version no longer contains and no user has changed.',
  ADD_PORT: 'Adds a port of the new version.',
  SET_PORT: 'Changes a port to match the new version.',
  REMOVE_PORT: 'Removes a port that the new version no longer contains and no user has changed.',
  ADD_VOLUME: 'Adds a volume of the new version.',
  SET_VOLUME: 'Changes the path or content of a volume to match the new version.',
  ADD_DEPENDENCY: 'Adds a dependency of the new version.',
  REMOVE_DEPENDENCY: 'Removes a dependency that the new version no longer contains.',
} as const;
export type ChangeKind = keyof typeof changeKinds;

/** A change in the plan or record of an upgrade. */
export interface UpgradeChange {
  component: string;
  kind: ChangeKind;
  name: string;
  before: string | null;
  after: string | null;
}
