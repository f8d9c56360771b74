import { z } from 'zod';
import { isHost, parseImage } from '../../drivers/registry/image.ts';
import { integerId, reference } from '../../kernel/reference.ts';
import { expectedRevision, line, plannedChange, prose } from '../../kernel/validate.ts';
import { teamRef } from '../team/model.ts';

export const registryCredentialRef = reference('registry credential', {
  credentialId: integerId('The `uid` of the registry credential.'),
});
export type RegistryCredentialRef = z.infer<typeof registryCredentialRef>;

/** A credential in basic authentication, which ends the username at the first colon. */
const username = line(255).refine((value) => !value.includes(':'), 'Must not contain a colon');

export const createRegistryCredential = z.strictObject({
  team: teamRef
    .nullish()
    .describe(
      'The team whose components use the credential. If omitted, the components of all teams of the enterprise use it, which requires an enterprise administrator.',
    ),
  host: line(255)
    .refine(isHost, 'Must be a host name with an optional port, without a scheme or a path')
    .describe(
      'The host of the registry as in image references, with its port if it has one: `registry.example:5000`. `docker.io` for Docker Hub.',
    ),
  username: username.describe(
    'The username, or the value that the registry expects in its place with an access token.',
  ),
  // A key of a service account is JSON with line breaks.
  password: prose(16_384).min(1).describe('The password or access token. It cannot be read again.'),
});
export type CreateRegistryCredential = z.infer<typeof createRegistryCredential>;

export const updateRegistryCredential = z.strictObject({
  credential: registryCredentialRef.describe('The registry credential to change.'),
  username: username.nullish().describe('The new username. Unchanged if omitted.'),
  password: createRegistryCredential.shape.password
    .nullish()
    .describe('The new password or access token. Unchanged if omitted.'),
  expectedRevision: expectedRevision('the registry credential'),
});
export type UpdateRegistryCredential = z.infer<typeof updateRegistryCredential>;

export const deleteRegistryCredential = z.strictObject({
  credential: registryCredentialRef.describe('The registry credential to delete.'),
  force: z
    .boolean()
    .nullish()
    .describe('Whether to delete the credential even if components use it. Defaults to false.'),
  ...plannedChange('the registry credential'),
});
export type DeleteRegistryCredential = z.infer<typeof deleteRegistryCredential>;

/** The image reference of a check. Components can have others, because templates do. */
export const imageReference = line(1024).refine(
  (value) => parseImage(value) !== undefined,
  'Must be an image reference, such as registry.example/shop/web:1.0',
);
