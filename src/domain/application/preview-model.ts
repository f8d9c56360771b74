import { z } from 'zod';
import type { Row } from '../../db/tables.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { commandWords, displayName } from '../../kernel/validate.ts';

/** Whether previews of an application get the values of its secrets. */
export const previewSecrets = z.enum(['copy', 'omit']);

/** The settings that are not written. */
const previewDefaults = { most: 3, lifetimeHours: 72, secrets: 'omit' } as const;
const maxLifetimeHours = 24 * 90;

export const lifetimeField = z.int32().min(1).max(maxLifetimeHours);

const componentName = displayName(128);

export const previewSeed = z.strictObject({
  component: componentName.describe(
    'The name of the component whose image and configuration the command runs with.',
  ),
  command: commandWords.describe('The command, as a list of words. It does not run in a shell.'),
});

export const previewFields = {
  most: z
    .int32()
    .min(1)
    .max(100)
    .nullish()
    .describe(`The maximum number of open previews. Defaults to ${previewDefaults.most}.`),
  lifetimeHours: lifetimeField
    .nullish()
    .describe(
      `The number of hours after which a preview is deleted, unless \`openPreview\` sets another number. Defaults to ${previewDefaults.lifetimeHours}.`,
    ),
  components: z
    .array(componentName)
    .min(1)
    .max(500)
    .nullish()
    .describe('The names of the components in previews. Defaults to all components.'),
  usesOriginals: z
    .boolean()
    .nullish()
    .describe(
      'Whether dependencies on components that are not in previews lead to the components of the original application. A preview then writes to the databases of the original. Setting it requires the right to read secrets. Defaults to false: such dependencies are left out.',
    ),
  secrets: previewSecrets
    .nullish()
    .describe(
      'Whether previews get the values of secret variables. `COPY` requires the right to read secrets, because the image of a preview can be chosen by the caller and can read them. Defaults to `OMIT`.',
    ),
  seed: previewSeed
    .nullish()
    .describe(
      'A command that runs once after the first deploy of a preview, for example to fill a database. If it fails, the preview stays and shows the failure. Defaults to none.',
    ),
};

export const previewSettings = z.strictObject(previewFields);
export type PreviewSettingsInput = z.infer<typeof previewSettings>;

export interface PreviewSettings {
  most: number;
  lifetimeHours: number;
  /** Null for all. */
  components: string[] | null;
  usesOriginals: boolean;
  secrets: z.infer<typeof previewSecrets>;
  seed: { component: string; command: string[] } | null;
}

/** The column of settings that were checked. Equal settings have equal ones. Manifests can have `secrets` in upper case. */
export function previewColumnOf(given: PreviewSettingsInput | null): string | null {
  if (given === null) return null;
  const settings: PreviewSettings = {
    most: given.most ?? previewDefaults.most,
    lifetimeHours: given.lifetimeHours ?? previewDefaults.lifetimeHours,
    components: given.components ? [...new Set(given.components)].sort() : null,
    usesOriginals: given.usesOriginals ?? false,
    secrets: (given.secrets?.toLowerCase() ?? previewDefaults.secrets) as PreviewSettings['secrets'],
    seed: given.seed ? { component: given.seed.component, command: [...given.seed.command] } : null,
  };
  return JSON.stringify(settings);
}

/** Null for an application that allows no previews. */
export const previewSettingsOf = memoizeByIdentity(
  ({ previews }: Pick<Row<'Application'>, 'previews'>): PreviewSettings | null =>
    previews === null ? null : JSON.parse(previews),
);

/** Stored settings as manifests have them, without those that are defaults. */
export function shownPreviews(stored: string): PreviewSettingsInput {
  const { most, lifetimeHours, components, usesOriginals, secrets, seed } = JSON.parse(
    stored,
  ) as PreviewSettings;
  return {
    ...(most !== previewDefaults.most && { most }),
    ...(lifetimeHours !== previewDefaults.lifetimeHours && { lifetimeHours }),
    ...(components && { components }),
    ...(usesOriginals && { usesOriginals }),
    ...(secrets !== previewDefaults.secrets && { secrets: secrets.toUpperCase() as 'copy' }),
    ...(seed && { seed }),
  };
}

/**
 * Whether settings bring what only readers of secrets may see into previews, in another way than those before. The components and
 * the first command decide which secrets these are, and what reads them.
 */
export function givesSecrets(after: PreviewSettings | null, before: PreviewSettings | null): boolean {
  if (!after || (after.secrets === 'omit' && !after.usesOriginals)) return false;
  const given = (settings: PreviewSettings | null) => {
    const { components, usesOriginals, secrets, seed } = settings ?? {};
    return JSON.stringify({ components, usesOriginals, secrets, seed });
  };
  return given(after) !== given(before);
}
