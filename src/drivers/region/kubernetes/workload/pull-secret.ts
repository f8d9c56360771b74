import { dockerHub } from '../../../registry/image.ts';
import type { DesiredComponent } from '../../desired.ts';
import { nameOf } from '../../object-names.ts';
import { type KubernetesObject, labelsOf } from '../objects/objects.ts';

const pullSecretName = (component: DesiredComponent) => nameOf(component, 'pull');

/** The key under which a kubelet looks for the credential of Docker Hub, however an image names it. */
const dockerHubKey = 'https://index.docker.io/v1/';

/** The Secret with the credential for the registry of the component's image. */
export function pullSecretOf(component: DesiredComponent): KubernetesObject[] {
  const { pullCredential } = component;
  if (!pullCredential) return [];
  const { host, username, password } = pullCredential;
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const key = host === dockerHub ? dockerHubKey : host;
  const config = JSON.stringify({ auths: { [key]: { username, password, auth } } });
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      // The name does not depend on the content, so that a new password does not replace instances.
      metadata: { name: pullSecretName(component), labels: labelsOf(component) },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
    },
  ];
}

/** The part of a pod's specification that pulling its image requires. */
export const imagePullSecretsOf = (component: DesiredComponent) =>
  component.pullCredential ? { imagePullSecrets: [{ name: pullSecretName(component) }] } : {};
