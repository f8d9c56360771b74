/** What is kept of a kubeconfig. */
export interface KubeconfigContent {
  url: string;
  credentials: {
    token: string | null;
    caCertificate: string | null;
    clientCertificate: string | null;
    clientKey: string | null;
  };
}

const fromBase64 = (text: string | undefined) => (text ? Buffer.from(text, 'base64').toString() : null);

/** The address and the credentials of the current context, or what is not supported about it. */
export async function readKubeconfig(text: string): Promise<KubeconfigContent | string> {
  const { KubeConfig } = await import('@kubernetes/client-node').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return { KubeConfig: undefined };
  });
  if (!KubeConfig)
    return 'Cannot be read: the package @kubernetes/client-node is not installed on the server';
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
  } catch {
    return 'Must be a kubeconfig in YAML or JSON';
  }
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  if (!cluster || !user) return 'Must have a current context with a cluster and a user';
  if (user.exec || user.authProvider) return 'Must not use plugins: give a token or a client certificate';
  if (user.username || user.password) return 'Must not use a password: give a token or a client certificate';
  if (user.impersonateUser) return 'Must not impersonate another user';
  if (cluster.caFile || user.certFile || user.keyFile) {
    return 'Must not refer to files: give their contents';
  }
  if (!user.token && !(user.certData && user.keyData)) {
    return 'Must have the content of a token or of a client certificate with its key';
  }
  if (cluster.proxyUrl) return 'Must not use a proxy';
  if (cluster.skipTLSVerify) return 'Must verify the certificate of the server';
  if (cluster.tlsServerName) return 'Must not name another server for TLS';
  if (!/^https:\/\/[^/@]+\/?$/.test(cluster.server) || !URL.canParse(cluster.server)) {
    return 'Must have a server with an https address';
  }
  return {
    url: cluster.server,
    credentials: {
      token: user.token ?? null,
      caCertificate: fromBase64(cluster.caData),
      clientCertificate: fromBase64(user.certData),
      clientKey: fromBase64(user.keyData),
    },
  };
}
