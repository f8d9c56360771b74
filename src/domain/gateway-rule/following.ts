import { portFollowers } from '../port/followers.ts';
import { isHttp } from '../port/model.ts';
import { publishRules, removeDefaultRules, unpublishRules } from './rows.ts';

/** Rules follow their port: published while it is open, gone or in the way when it goes. */
portFollowers.push({
  opened: publishRules,
  closed: unpublishRules,
  async protocolChanging(scene, protocol) {
    const { port } = scene;
    if (isHttp(port.protocol) === isHttp(protocol)) return;
    // A TCP rule carries anything, an HTTP rule only HTTP; a default rule goes with its family.
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
