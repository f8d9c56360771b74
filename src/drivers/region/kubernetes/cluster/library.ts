import type { AgentOptions } from 'node:https';
import type { KubeConfig, Watch } from '@kubernetes/client-node';
import type { KubernetesRegion } from '../../clusters.ts';
import { RegionWorkError } from '../../driver.ts';
import { ClusterAgent } from './agent.ts';
import { metadataTypes } from './answers.ts';

/** The library is loaded when the first region needs it, and is an optional dependency. */
async function loadLibrary() {
  return import('@kubernetes/client-node').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RegionWorkError('The package @kubernetes/client-node is not installed on the server.', {
      isPermanent: true,
    });
  });
}

/** The properties of a region that the library needs. */
export async function configOf(
  { url, credentials }: KubernetesRegion,
  allowsLocal: boolean,
): Promise<{ config: KubeConfig; watch: Watch; metadataWatch: Watch }> {
  const { KubeConfig, Watch } = await loadLibrary();
  const base64 = (text: string | null) => (text === null ? undefined : Buffer.from(text).toString('base64'));
  const config = new KubeConfig();
  // Of watches. They follow redirects, whose addresses are checked as well.
  const createAgent = (_: unknown, options: AgentOptions) => new ClusterAgent(options, allowsLocal);
  Object.assign(config, { createAgent });
  config.loadFromClusterAndUser(
    {
      name: 'region',
      server: url.replace(/\/$/, ''),
      caData: base64(credentials.caCertificate)!,
      skipTLSVerify: false,
    },
    {
      name: 'trellis',
      ...(credentials.token && { token: credentials.token }),
      ...(credentials.clientCertificate && { certData: base64(credentials.clientCertificate)! }),
      ...(credentials.clientKey && { keyData: base64(credentials.clientKey)! }),
    },
  );
  // The library has no option for the header of a watch.
  const ofMetadata: KubeConfig = Object.assign(Object.create(config), {
    applyToFetchOptions: (options: object) =>
      config.applyToFetchOptions({ ...options, headers: { Accept: metadataTypes.object } }),
  });
  return { config, watch: new Watch(config), metadataWatch: new Watch(ofMetadata) };
}
