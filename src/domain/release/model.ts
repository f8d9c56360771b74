import { z } from 'zod';
import { integerId, reference } from '../../kernel/reference.ts';
import { dryRunField, expectedRevision } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { startStopped } from '../component/deploy/scope-model.ts';
import { componentRef } from '../component/model.ts';

/** The most releases that are stored of a component. The oldest are deleted. */
export const maxReleases = 50;

/** The most bytes of the releases that are stored of a component, encrypted. At least the last three fit. */
export const maxReleaseBytes = 16 * 2 ** 20;

/** The size of a large release, in bytes. All smaller ones of a component take at most 3 MiB. */
export const largeRelease = 64 * 1024;

export const releaseNumber = z.int32().min(1, 'Must be the number of a release, from 1');

export const releaseAddress = z.strictObject({
  component: componentRef.describe('The component.'),
  number: releaseNumber.describe('The number of the release.'),
});

export const releaseRef = reference('release', {
  releaseId: integerId('The `uid` of the release.'),
  at: releaseAddress.optional().describe('A component and the number of its release.'),
});
export type ReleaseRef = z.infer<typeof releaseRef>;

const oneStopped =
  'Whether to deploy the component even if it is stopped, which starts it. Without it, a stopped component changes and stays stopped. Defaults to false.';

export const rollbackComponent = z.strictObject({
  component: componentRef.describe('The component.'),
  release: releaseNumber.describe('The number of the release to restore.'),
  startStopped: startStopped.describe(oneStopped),
  expectedRevision: expectedRevision('the component'),
  dryRun: dryRunField,
});
export type RollbackComponent = z.infer<typeof rollbackComponent>;

export const rollbackApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  at: z.date().describe('The time to roll back to.'),
  startStopped,
  expectedRevision: expectedRevision('the application'),
  dryRun: dryRunField,
});
export type RollbackApplication = z.infer<typeof rollbackApplication>;

export const promoteRelease = z.strictObject({
  release: releaseRef.describe('The release to promote.'),
  to: applicationRef.describe(
    'The application with a component of the same name, which the release is deployed to. It can be in another region or team.',
  ),
  includesResources: z
    .boolean()
    .nullish()
    .describe(
      'Whether the number of instances, CPU, memory and placement are promoted as well. Defaults to false, so that the component keeps its size and its nodes.',
    ),
  startStopped: startStopped.describe(oneStopped),
  expectedRevision: expectedRevision('the component that the release is deployed to'),
  dryRun: dryRunField,
});
export type PromoteRelease = z.infer<typeof promoteRelease>;
