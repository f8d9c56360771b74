import { z } from 'zod';
import { instanceLimits } from '../../../drivers/region/instances.ts';
import { dryRunField, hostNamePattern } from '../../../kernel/validate.ts';
import { componentRef } from '../model.ts';

/** A name of Kubernetes. */
const objectName = z
  .string()
  .max(253)
  .regex(hostNamePattern(), 'Must contain only lower-case letters, digits, hyphens and dots');

/** How many lines are returned unless another number is given. */
export const defaultTail = 100;

export const instanceName = objectName.nullish();
export const containerName = objectName.nullish();
export const logTail = z.int32().min(1).max(instanceLimits.lines).nullish();

export const logOptions = z.strictObject({
  instance: instanceName,
  container: containerName,
  tail: logTail,
});

export const deleteInstance = z.strictObject({
  component: componentRef.describe('The component.'),
  instance: objectName.describe('The `name` of the instance.'),
  dryRun: dryRunField,
});
export type DeleteInstance = z.infer<typeof deleteInstance>;

/** The last known line of each instance, as the id of an item of a subscription. */
export const positionsText = (positions: ReadonlyMap<string, string>): string =>
  [...positions].map(([instance, at]) => `${instance}@${at}`).join(',');

const position = /^([a-z0-9.-]{1,253})@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z)$/;

/** The inverse; undefined for other texts. */
export function positionsOf(text: string): Map<string, string> | undefined {
  const found = text.split(',').map((each) => position.exec(each));
  if (found.some((each) => each === null || Number.isNaN(Date.parse(each[2]!)))) return undefined;
  return new Map(found.map((each) => [each![1]!, each![2]!]));
}
