import { z } from 'zod';
import { integerId, reference } from '../../kernel/reference.ts';
import { displayName, displayProse, expectedRevision, logo, onlyStored } from '../../kernel/validate.ts';
import { regionRef } from '../region/model.ts';
import { teamRef } from '../team/model.ts';
import { previewSettings } from './preview-model.ts';

export const applicationRef = reference('application', {
  appId: integerId('The `appId` of the application.'),
});
export type ApplicationRef = z.infer<typeof applicationRef>;

/** Whose the namespace of an application in a cluster is. */
export const isolation = z.enum(['own', 'team']);
export type Isolation = z.infer<typeof isolation>;

export const defaultIsolation: Isolation = 'own';

/** The namespace that an application will have which is new and has its own. */
export const newNamespace = -1;

/** The namespace of a team, which has its gateway. */
export const namespaceOfTeam = 0;

/** The namespace of the components of an application: its own, or that of the team. */
export const namespaceIdOf = ({ id, isolation: kind }: { id: number; isolation: string }): number =>
  kind === 'own' ? id : namespaceOfTeam;

export const createApplication = z.strictObject({
  team: teamRef.describe('The team that the application belongs to.'),
  region: regionRef.describe(
    'The region that the application runs in. It must be open for the team, and enabled.',
  ),
  name: displayName(128).describe('The unique name in the team and region.'),
  isolation: isolation
    .nullish()
    .describe(
      `Whether the components get a namespace of their own in the cluster, or share that of the team in the region. Defaults to \`${defaultIsolation.toUpperCase()}\`.`,
    ),
  note: displayProse(2048).nullish().describe('A note about the application.'),
  principal: displayName(64).nullish().describe('The name of the person in charge. Defaults to the caller.'),
  governanceMode: displayName(64).nullish().describe(`The service governance mode. ${onlyStored}`),
  orderIndex: z.int32().nullish().describe('The position in lists, lowest first. Defaults to 0.'),
  isDefault: z
    .boolean()
    .nullish()
    .describe(
      'Whether this is the default application of the team in the region. It replaces the previous default application. Defaults to false.',
    ),
  logo: logo().nullish().describe('The logo: an `https` URL, or a `data:image/…` URL of at most 64 KiB.'),
  previews: previewSettings
    .nullish()
    .describe(
      'The preview settings of the application, which allow pipelines to open previews. Defaults to none.',
    ),
});
export type CreateApplication = z.infer<typeof createApplication>;

/** The fields that are columns of the same name. Manifests have them as well. */
export const describedApplication = createApplication.omit({ team: true, region: true, name: true });

/** The columns that describe an application to people. Null removes their values, and a copy has them as well. */
export const describing = describedApplication
  .omit({ isolation: true, orderIndex: true, isDefault: true, previews: true })
  .keyof().options;

export const updateApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  isolation: isolation
    .nullish()
    .describe(
      'Whether the components have a namespace of their own in the cluster, or share that of the team in the region, which requires the right to change all applications of the team. It can change while no component has been deployed. Unchanged if omitted.',
    ),
  name: createApplication.shape.name
    .nullish()
    .describe('The new name, unique in the team and region. Unchanged if omitted.'),
  note: createApplication.shape.note.describe(
    'A note about the application. Null removes it. Unchanged if omitted.',
  ),
  principal: createApplication.shape.principal.describe(
    'The name of the person in charge. Null removes it. Unchanged if omitted.',
  ),
  governanceMode: createApplication.shape.governanceMode.describe(
    `The service governance mode. Null removes it. Unchanged if omitted. ${onlyStored}`,
  ),
  orderIndex: createApplication.shape.orderIndex.describe(
    'The position in lists, lowest first. Unchanged if omitted.',
  ),
  isDefault: createApplication.shape.isDefault.describe(
    'Whether this is the default application of the team in the region. It replaces the previous default application. Unchanged if omitted.',
  ),
  logo: createApplication.shape.logo.describe(
    'The logo: an `https` URL, or a `data:image/…` URL of at most 64 KiB. Null removes it. Unchanged if omitted.',
  ),
  previews: createApplication.shape.previews.describe(
    'The preview settings as a whole: omitted settings get their defaults. Null allows no new previews; open previews stay until they expire. Unchanged if omitted.',
  ),
  expectedRevision: expectedRevision('the application'),
});
export type UpdateApplication = z.infer<typeof updateApplication>;

export const applicationOrders = {
  INDEX: ['orderIndex', 'name', 'id'],
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;
