import { InvalidInputError, type Issue } from '../../kernel/errors.ts';
import { getOrCompute } from '../../kernel/memo.ts';
import { componentNamed, type Standing } from '../plan/standing-reads.ts';
import type { CopiedImage, CopiedVariable } from './model.ts';

type GivenVariable = CopiedVariable & { scope: 'environment' | 'connection' };

/** What a copy is given, by the ids of the components of the original. */
export interface Given {
  images: ReadonlyMap<string, string>;
  variables: ReadonlyMap<string, ReadonlyMap<string, GivenVariable>>;
}

export const variableKey = ({ scope, name }: { scope: string; name: string }) => `${scope} ${name}`;

/** INVALID_INPUT if a component is not one of those that are copied, or is given the same twice. */
export function givenIn(
  standing: Pick<Standing, 'components'>,
  {
    images: someImages,
    variables: someVariables,
  }: {
    images?: readonly CopiedImage[] | null | undefined;
    variables?: readonly CopiedVariable[] | null | undefined;
  },
): Given {
  const issues: Issue[] = [];
  const idOf = (list: string, index: number, name: string): string | undefined => {
    const found = componentNamed(standing, name);
    if (!found) issues.push({ path: ['input', list, index, 'component'], message: 'Unknown component' });
    return found?.row.id;
  };
  const images = new Map<string, string>();
  for (const [index, { component, image }] of (someImages ?? []).entries()) {
    const id = idOf('images', index, component);
    if (id === undefined) continue;
    if (images.has(id))
      issues.push({ path: ['input', 'images', index, 'component'], message: 'Duplicate component' });
    images.set(id, image);
  }
  const variables = new Map<string, Map<string, GivenVariable>>();
  for (const [index, given] of (someVariables ?? []).entries()) {
    const id = idOf('variables', index, given.component);
    if (id === undefined) continue;
    const variable: GivenVariable = { ...given, scope: given.scope ?? 'environment' };
    const own = getOrCompute(variables, id, () => new Map<string, GivenVariable>());
    if (own.has(variableKey(variable)))
      issues.push({ path: ['input', 'variables', index, 'name'], message: 'Duplicate name' });
    own.set(variableKey(variable), variable);
  }
  if (issues.length > 0) throw new InvalidInputError(issues);
  return { images, variables };
}
