import { z } from 'zod';
import { isTag, parseImage, withTag } from '../../drivers/registry/image.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import {
  boundedString,
  displayName,
  expectedRevision,
  invalid,
  plannedChange,
} from '../../kernel/validate.ts';
import { startStopped } from '../component/deploy/scope-model.ts';
import { componentRef, createComponent } from '../component/model.ts';

export const deployHookRef = reference('deploy hook', {
  deployHookId: identifier('The `uid` of the deploy hook.'),
});
export type DeployHookRef = z.infer<typeof deployHookRef>;

const tagPattern = boundedString(128)
  .regex(/^[\w.*-]+$/, 'Must be a tag, in which `*` matches any text, for example v1.*')
  .nullish();
const tagsToDeploy =
  'tags that a registry can deploy by calling the deploy hook. `*` matches any text. Case-sensitive.';

export const createDeployHook = z.strictObject({
  component: componentRef.describe('The component that the deploy hook deploys.'),
  name: displayName(64)
    .nullish()
    .describe(
      'The purpose of the deploy hook, for example the name of a pipeline. Defaults to `Deploy hook`.',
    ),
  tagPattern: tagPattern.describe(`The ${tagsToDeploy} Defaults to the tag of the component's image.`),
});
export type CreateDeployHook = z.infer<typeof createDeployHook>;

export const defaultName = 'Deploy hook';

export const updateDeployHook = z.strictObject({
  deployHook: deployHookRef.describe('The deploy hook to change. Omitted fields are unchanged.'),
  name: displayName(64).nullish().describe('The purpose of the deploy hook.'),
  tagPattern: tagPattern.describe(`The ${tagsToDeploy} Null for the tag of the component's image.`),
  expectedRevision: expectedRevision('the deploy hook'),
});
export type UpdateDeployHook = z.infer<typeof updateDeployHook>;

export const rotateDeployHook = z.strictObject({
  deployHook: deployHookRef.describe('The deploy hook.'),
  expectedRevision: expectedRevision('the deploy hook'),
});
export type RotateDeployHook = z.infer<typeof rotateDeployHook>;

export const deleteDeployHook = z.strictObject({
  deployHook: deployHookRef.describe('The deploy hook.'),
  ...plannedChange('the deploy hook'),
});
export type DeleteDeployHook = z.infer<typeof deleteDeployHook>;

/** The most deploy hooks of one component. */
export const maxDeployHooks = 10;

export const deployRequest = z.strictObject({
  image: createComponent.shape.image.nullish(),
  tag: z.string().refine(isTag, 'Must be a tag of an image, for example 1.29').nullish(),
  startStopped,
});
export type DeployRequest = z.infer<typeof deployRequest>;

/** The image to deploy, which is of the same repository as the one before. */
export function imageAfter(before: string, { image, tag }: DeployRequest): string {
  if (image != null && tag != null) throw invalid(['tag'], 'Send either `image` or `tag`');
  if (tag != null) return withTag(before, tag);
  if (image == null) return before;
  const [from, to] = [parseImage(before), parseImage(image)];
  if (from && to && from.host === to.host && from.repository === to.repository) return image;
  const repository = from ? `${from.host}/${from.repository}` : before;
  throw invalid(['image'], `Must be an image of the same repository as before, ${repository}`);
}

/** Why a deploy hook does not deploy a stopped component. */
export const staysStopped = ({ name }: { name: string }) =>
  `The component ${name} is stopped, and stays stopped. Deploy it, or send \`startStopped\`.`;
