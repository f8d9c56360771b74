const anyAddress = /^(?:0\.0\.0\.0|\[::\]):/;

/** The address of a TCP rule that does not exist yet, as the server would have it. */
export const addressOf = (endpoint: string, { tcpDomain }: { tcpDomain: string }) =>
  endpoint.replace(anyAddress, `${tcpDomain}:`);
