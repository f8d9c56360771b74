import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import { anywhere, type Placement } from '../../../drivers/region/placement.ts';
import { memoizeByIdentity } from '../../../kernel/memo.ts';
import { boundedString, plannedChange } from '../../../kernel/validate.ts';
import { componentRef } from '../model.ts';

type Component = Row<'Component'>;
type WithPlacement = Pick<Component, 'placement'>;

/** The most labels, and the most tolerations. */
export const maxPlacementEntries = 20;

const maxPrefix = 253;
const name = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const part = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

/** The name of a label or taint, as Kubernetes has it. */
const labelKey = boundedString(maxPrefix + 64)
  .regex(
    new RegExp(`^(?:${part}(?:\\.${part})*/)?${name}$`),
    'Must be a name like `disktype` of at most 63 letters, digits, `-`, `_` and `.`, or one with a domain like `example.com/disktype`',
  )
  .refine(
    (key) => key.indexOf('/') <= maxPrefix,
    `Must have at most ${maxPrefix} characters in front of the \`/\``,
  );

const labelValue = boundedString(63).regex(
  /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  'Must contain only letters, digits, `-`, `_` and `.`, and start and end with a letter or digit',
);

export const nodeLabel = z.strictObject({
  key: labelKey.describe('The key, such as `disktype` or `topology.kubernetes.io/zone`.'),
  value: labelValue.describe('The value. It can be empty.'),
});

export const tolerationOperator = z.enum(['exists', 'equal']);
export const tolerationEffect = z.enum(['no_schedule', 'prefer_no_schedule', 'no_execute']);
export const placementSpread = z.enum(['node', 'zone']);

const tolerationFields = {
  key: labelKey
    .nullish()
    .describe('The key of the taints. If it is omitted, all taints match: the operator must be EXISTS.'),
  operator: tolerationOperator
    .nullish()
    .describe('The comparison with taints. Defaults to EQUAL. EXISTS matches every value.'),
  value: labelValue
    .nullish()
    .describe('The value of the taints. Defaults to the empty string. Must be omitted with EXISTS.'),
  effect: tolerationEffect
    .nullish()
    .describe('The effect of the taints. If it is omitted, all effects match.'),
};

interface GivenToleration {
  key?: string | null | undefined;
  operator?: string | null | undefined;
  value?: string | null | undefined;
  effect?: string | null | undefined;
}
interface GivenPlacement {
  nodeLabels?: readonly { key: string; value: string }[] | null | undefined;
  tolerations?: readonly GivenToleration[] | null | undefined;
  spread?: string | null | undefined;
  minAvailable?: number | null | undefined;
}

/** Manifests can have it in upper case. */
const operatorOf = ({ operator }: GivenToleration) =>
  (operator ?? 'equal').toLowerCase() as 'exists' | 'equal';

/** The rules between the fields of a toleration. */
export function requireTaint(given: GivenToleration, issues: z.RefinementCtx): void {
  const isEqual = operatorOf(given) === 'equal';
  if (isEqual && given.key == null) {
    issues.addIssue({ code: 'custom', path: ['key'], message: 'Is required, unless the operator is EXISTS' });
  }
  if (!isEqual && given.value) {
    issues.addIssue({ code: 'custom', path: ['value'], message: 'Must not be set with the operator EXISTS' });
  }
}

export const toleration = z.strictObject(tolerationFields).superRefine(requireTaint);

export const placementFields = {
  nodeLabels: z
    .array(nodeLabel)
    .max(maxPlacementEntries)
    .nullish()
    .describe('The labels that nodes must have for instances to run on them. Defaults to none.'),
  tolerations: z
    .array(toleration)
    .max(maxPlacementEntries)
    .nullish()
    .describe('The taints of nodes that instances tolerate. Defaults to none.'),
  spread: placementSpread
    .nullish()
    .describe(
      'The domains that instances are spread over evenly, as far as possible. By default, the cluster decides.',
    ),
  minAvailable: z
    .int32()
    .min(0)
    .max(10_000)
    .nullish()
    .describe(
      'The number of instances that stay available while nodes are drained. Less than the number of instances. Defaults to 1, which has no effect on a component with one instance. 0 allows all of them to stop at the same time.',
    ),
};

/** A node has one value for a key. */
export function requireDistinctLabels({ nodeLabels }: GivenPlacement, issues: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { key }] of (nodeLabels ?? []).entries()) {
    if (seen.has(key)) {
      const path = ['nodeLabels', index, 'key'];
      issues.addIssue({ code: 'custom', path, message: 'Must not be the key of another label' });
    }
    seen.add(key);
  }
}

export const setPlacement = z
  .strictObject({
    component: componentRef.describe('The component. Omitted fields get their defaults.'),
    ...placementFields,
    ...plannedChange('the component'),
  })
  .superRefine(requireDistinctLabels);
export type SetPlacement = z.infer<typeof setPlacement>;

/** The stored form of a placement that was checked. Equal placements have equal ones. */
export const placementOf = (given: GivenPlacement): Placement => ({
  nodeLabels: (given.nodeLabels ?? [])
    .map(({ key, value }) => ({ key, value }))
    .sort((one, other) => (one.key < other.key ? -1 : 1)),
  tolerations: (given.tolerations ?? []).map((each) => {
    const operator = operatorOf(each);
    return {
      key: each.key ?? null,
      operator,
      value: operator === 'exists' ? null : (each.value ?? ''),
      effect: (each.effect?.toLowerCase() ?? null) as Placement['tolerations'][number]['effect'],
    };
  }),
  spread: (given.spread?.toLowerCase() ?? null) as Placement['spread'],
  minAvailable: given.minAvailable ?? anywhere.minAvailable,
});

const standard = JSON.stringify(anywhere);

/** The column of a placement: null if it is the default. */
export function placementColumnOf(placement: Placement): string | null {
  const text = JSON.stringify(placement);
  return text === standard ? null : text;
}

/** Parsed once for each row, whatever the number of aliases. */
export const storedPlacement = memoizeByIdentity(
  ({ placement }: WithPlacement): Placement => (placement === null ? anywhere : JSON.parse(placement)),
);

/** Why no node could ever be drained with so few instances. Undefined if one can, and if the number stays. */
export function drainProblem(
  { minAvailable }: Pick<Placement, 'minAvailable'>,
  { replicas, minReplicas }: Pick<Component, 'replicas' | 'minReplicas'>,
  before: Pick<Placement, 'minAvailable'>,
): string | undefined {
  const least = minReplicas ?? replicas;
  if (minAvailable === before.minAvailable) return undefined;
  if (minAvailable <= anywhere.minAvailable || minAvailable < least) return undefined;
  const field = minReplicas === null ? 'replicas' : 'minReplicas';
  return `Must be less than ${field} (${least}), so that nodes can be drained`;
}
