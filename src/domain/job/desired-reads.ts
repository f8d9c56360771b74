import type { Context } from '../../context.ts';
import type { DesiredComponent } from '../../drivers/region/desired.ts';

/** The context in which a provider reads. The worker acts for no user. */
export type DesiredContext = Pick<Context, 'db' | 'seal' | 'loaders' | 'drivers'>;

type DesiredProvider<T> = (context: DesiredContext, componentId: string, isPending: boolean) => Promise<T>;

type Ports = Pick<DesiredComponent, 'ports'>;
type Rules = Pick<DesiredComponent, 'httpRules' | 'tcpRules'>;

/** The concepts below this one, each of which knows a part of a desired component. */
export interface DesiredProviders {
  /** Null if the component no longer exists, or is no longer deployed. */
  component: DesiredProvider<Omit<DesiredComponent, keyof Ports | keyof Rules> | null>;
  ports: DesiredProvider<Ports>;
  rules: DesiredProvider<Rules>;
}

let providers: DesiredProviders | undefined;

/** Called by `api.ts`. */
export function provideDesired(by: DesiredProviders): void {
  providers = by;
}

/** The desired state of a component, or that of its pending deploy. Null if the component is not deployed. */
export async function desiredComponent(
  context: DesiredContext,
  componentId: string,
  { isPending = false } = {},
): Promise<DesiredComponent | null> {
  const [component, ports, rules] = await Promise.all([
    providers!.component(context, componentId, isPending),
    providers!.ports(context, componentId, isPending),
    providers!.rules(context, componentId, isPending),
  ]);
  return component && { ...component, ...ports, ...rules };
}
