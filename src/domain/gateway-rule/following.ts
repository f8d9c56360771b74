import { portFollowers } from '../port/followers.ts';
import { isHttp } from '../port/model.ts';
import { publishRules, removeDefaultRules, unpublishRules } from './rows.ts';

/** Publishes rules while their port is open. Deleting a port deletes its default rules and is refused for custom ones. */
portFollowers.push({
  opened: publishRules,
  closed: unpublishRules,
  async protocolChanging(scene, protocol) {
    const { port } = scene;
    if (isHttp(port.protocol) === isHttp(protocol)) return;
    // TCP rules work for every protocol, HTTP rules only for HTTP. Default rules of the other kind are removed.
    if (isHttp(port.protocol)) {
      await removeDefaultRules(
        scene,
        'http',
        `The port ${port.number} has HTTP rules that would not fit ${protocol}`,
      );
    } else {
      await removeDefaultRules(scene, 'tcp');
    }
  },
  deleting: (scene) =>
    removeDefaultRules(scene, 'all', `Gateway rules point at the port ${scene.port.number}`),
});
