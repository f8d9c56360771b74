import type { PortHooks } from '../port/hooks.ts';
import { isHttp } from '../port/model.ts';
import { publishRules, removeDefaultRules, unpublishRules } from './port-rows.ts';

/** Publishes rules while their port is open. Deleting a port deletes its default rules and is refused for custom ones. */
export const rulesOfPort: PortHooks = {
  opening: publishRules,
  closing: unpublishRules,
  async protocolChanging(write, protocol) {
    const { port } = write;
    if (isHttp(port.protocol) === isHttp(protocol)) return;
    // TCP rules work for every protocol, HTTP rules only for HTTP. Default rules of the other kind are removed.
    if (isHttp(port.protocol)) {
      await removeDefaultRules(
        write,
        'http',
        `The port ${port.number} has HTTP rules, which the protocol ${protocol} does not support`,
      );
    } else {
      await removeDefaultRules(write, 'tcp');
    }
  },
  deleting: (write) =>
    removeDefaultRules(write, 'all', `Gateway rules point at the port ${write.port.number}`),
};
