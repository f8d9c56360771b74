import { z } from 'zod';
import { displayName, dnsLabel, dryRunField } from '../../kernel/validate.ts';
import { regionRef } from '../region/model.ts';
import { teamRef } from '../team/model.ts';

export const importNamespace = z.strictObject({
  team: teamRef.describe('The team that the application is created in.'),
  region: regionRef.describe('The region of the cluster. It must be open for the team, and enabled.'),
  namespace: dnsLabel().describe('The name of the namespace.'),
  name: displayName(128)
    .nullish()
    .describe(
      'The name of the application, unique in the team and region. Defaults to the name of the namespace.',
    ),
  dryRun: dryRunField,
});
export type ImportNamespace = z.infer<typeof importNamespace>;
