import { Agent, type AgentOptions } from 'node:https';
import { checkedLookup } from '../../../outgoing/checked-lookup.ts';
import { isLocalAddress } from '../../../outgoing/local-address.ts';
import { RegionWorkError } from '../../driver.ts';

/** The address that a name resolves to is not revealed. */
const refusal = () =>
  new RegionWorkError(
    "The address of the region's cluster is not allowed: it is a loopback or link-local address.",
  );

/** Opens connections to clusters. Where local addresses are not allowed, the address that is connected to is checked. */
export class ClusterAgent extends Agent {
  readonly #allowsLocal: boolean;

  constructor(options: AgentOptions, allowsLocal: boolean) {
    super({
      ...options,
      ...(!allowsLocal && { lookup: checkedLookup((each) => !isLocalAddress(each), refusal) }),
    });
    this.#allowsLocal = allowsLocal;
  }

  override createConnection(
    ...[options, callback]: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    // Addresses are not looked up.
    if (!this.#allowsLocal && isLocalAddress(String(options.host ?? ''))) {
      process.nextTick(() => callback?.(refusal(), undefined as never));
      return undefined;
    }
    return super.createConnection(options, callback);
  }
}
