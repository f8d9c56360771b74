import { z } from 'zod';
import { storeAccessKey, storeDomain, storeUrl } from '../../drivers/app-store/driver.ts';
import { storeId } from '../../drivers/app-store/template.ts';
import { integerId, reference } from '../../kernel/reference.ts';
import { displayName, displayProse, line, logo } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';

/** Kinds of stores, by the protocol that they speak. */
export const storeType = z.enum(['standard']);

export const store = z.strictObject({
  url: storeUrl().describe('Address of the store, http or https.'),
  domain: storeDomain().describe('Which domain of the store; it may be empty.'),
  type: storeType.nullish().describe('STANDARD by default.'),
  accessKey: storeAccessKey().describe(
    'What the store knows the caller by. Kept encrypted, never shown again.',
  ),
});

export const installApplication = z.strictObject({
  application: applicationRef.describe('The application that the components become part of.'),
  store: store.describe('Where the template is.'),
  templateId: storeId().describe('The template.'),
  version: storeId().describe('Which version of it.'),
  isDeployed: z
    .boolean()
    .nullish()
    .describe('Whether the components are deployed at once; false by default.'),
});
export type InstallApplication = z.infer<typeof installApplication>;

export const templateUpgrade = z.strictObject({
  storeName: line(255).describe('The store, as `Application.upgrades` names it.'),
  templateId: storeId().describe('A template that is installed in the application.'),
  version: storeId().describe('One of its `upgradeVersions`.'),
});

/** How many templates one upgrade may name. */
export const maxUpgrades = 50;

export const upgradeApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  upgrades: z
    .array(templateUpgrade)
    .min(1)
    .max(maxUpgrades)
    .describe('Which templates go to which version: all of them, or none.'),
  dryRun: z
    .boolean()
    .nullish()
    .describe('Whether to answer the plan alone, and change nothing; false by default.'),
});
export type UpgradeApplication = z.infer<typeof upgradeApplication>;

export const templateRef = reference('template', {
  templateId: integerId('The number of the published template.'),
});

/** The largest template that can be published. */
export const maxTemplateBytes = 8 * 1024 * 1024;

export const publishTemplate = z.strictObject({
  template: z
    .string()
    .min(2)
    .max(maxTemplateBytes)
    .describe('The template, JSON as text, in the form of the store protocol.'),
  name: displayName(128).nullish().describe('Name shown to people; the template’s own by default.'),
  description: displayProse(4096).nullish().describe('What it is; stays, or is empty, by default.'),
  logo: logo({ orNone: true })
    .nullish()
    .describe(
      'Its logo: an https URL, or `data:image/…` of at most 64 KiB; empty for none. It stays by default.',
    ),
  versionAlias: displayName(255).nullish().describe('Name of the version; the version by default.'),
  versionDescription: displayProse(4096).nullish().describe('What the version brings.'),
  isEnabled: z.boolean().nullish().describe('Whether the version is offered for upgrades; true by default.'),
});
export type PublishTemplate = z.infer<typeof publishTemplate>;

/** What an upgrade does to one thing. */
export const changeKinds = {
  ADD_COMPONENT: 'A component that the new version brings.',
  CLOSE_COMPONENT: 'A component that the new version no longer has: closed and kept.',
  SET: 'A value of a component that follows the new version.',
  ADD_VARIABLE: 'An environment variable that the new version brings.',
  SET_VARIABLE: 'An environment variable that follows the new version.',
  REMOVE_VARIABLE: 'An environment variable that the new version no longer has, and that nobody changed.',
  ADD_PORT: 'A port that the new version brings.',
  SET_PORT: 'A port that follows the new version.',
  REMOVE_PORT: 'A port that the new version no longer has, and that nobody changed.',
  ADD_VOLUME: 'A volume that the new version brings.',
  SET_VOLUME: 'A volume whose path or content follows the new version.',
  ADD_DEPENDENCY: 'A dependency that the new version brings.',
  REMOVE_DEPENDENCY: 'A dependency that the new version no longer has.',
} as const;
export type ChangeKind = keyof typeof changeKinds;

/** One line of an upgrade's plan, and of its record. */
export interface UpgradeChange {
  component: string;
  kind: ChangeKind;
  name: string;
  before: string | null;
  after: string | null;
}
