/** The address of an HTTP rule. `protocol` is its scheme. */
export const httpAddress = (rule: { protocol: string; domain: string; path: string }) =>
  `${rule.protocol}://${rule.domain}${rule.path}`;

const anyAddress = /^(?:0\.0\.0\.0|\[::\]):/;

/** The address that clients of a TCP rule connect to: one that listens on all addresses has the domain of its region. */
export const tcpAddress = (rule: { endpoint: string; region: { tcpDomain: string } }) =>
  rule.endpoint.replace(anyAddress, `${rule.region.tcpDomain}:`);

/** Whether a browser can open the address: not one without a scheme, nor one of all hosts below a domain. */
export const isOpenable = (address: string) => /^https?:\/\/[^*]/.test(address);
