import type { Context } from '../../context.ts';
import type { DesiredComponent } from '../../drivers/region/desired.ts';

/** What a provider reads with. The worker acts for no user. */
export type DesiredContext = Pick<Context, 'db' | 'seal' | 'loaders'>;

/** The part of a desired component that a concept knows. Null if the component no longer exists. */
export type DesiredProvider = (
  context: DesiredContext,
  componentId: string,
) => Promise<Partial<DesiredComponent> | null>;

/** Of the concepts below this one, which together know all of a component. `api.ts` lists them. */
export const desiredProviders: DesiredProvider[] = [];

/** What the cluster has to make true of a component. Null if the component no longer exists. */
export async function desiredComponent(
  context: DesiredContext,
  componentId: string,
): Promise<DesiredComponent | null> {
  const parts = await Promise.all(desiredProviders.map((provider) => provider(context, componentId)));
  return parts.includes(null) ? null : (Object.assign({}, ...parts) as DesiredComponent);
}
