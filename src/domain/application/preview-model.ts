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
  component: componentName.describe('The name of the component with whose image and configuration it runs.'),
  command: commandWords.describe('The words of the command, which no shell reads.'),
});

export const previewFields = {
  most: z
    .int32()
    .min(1)
    .max(100)
    .nullish()
    .describe(`The most previews at a time. Defaults to ${previewDefaults.most}.`),
  lifetimeHours: lifetimeField
    .nullish()
    .describe(
      `The hours after which a preview is deleted, unless who opens it gives others. Defaults to ${previewDefaults.lifetimeHours}.`,
    ),
  components: z
    .array(componentName)
    .min(1)
    .max(500)
    .nullish()
    .describe('The names of the components that previews have. Defaults to all.'),
  usesOriginals: z
    .boolean()
    .nullish()
    .describe(
      'Whether a dependency on a component that previews do not have leads to that of the application. What a preview writes to a database is then written to that of the application. Setting it requires the right to read secrets. Defaults to false: such a dependency is left out.',
    ),
  secrets: previewSecrets
    .nullish()
    .describe(
      'Whether previews get the values of secret variables. Whoever opens a preview chooses its image, which can read them: `COPY` requires the right to read secrets. Defaults to `OMIT`.',
    ),
  seed: previewSeed
    .nullish()
    .describe(
      'A command that runs once after the first deploy of a preview, to fill a database for example. Its failure is shown, and the preview stays. Defaults to none.',
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
