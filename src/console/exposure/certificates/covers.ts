/** Whether the names of a certificate cover a domain, as the server decides: a wildcard matches exactly one label. */
export function covers(names: readonly string[], domain: string): boolean {
  const host = domain.trim().toLowerCase();
  const dot = host.indexOf('.');
  return names.includes(host) || (dot > 0 && names.includes(`*${host.slice(dot)}`));
}
