/** The settings of an HTTP rule's proxy, with what a new rule has. */
export const proxyDefaults = {
  bodySizeMB: 0,
  bufferCount: 4,
  bufferSizeKB: 4,
  isBuffered: false,
  connectTimeoutSeconds: 75,
  readTimeoutSeconds: 60,
  sendTimeoutSeconds: 60,
};
