/** The protocol of a port: `tcp+udp` for `TCP_UDP`. */
export const protocolText = (protocol: string) => protocol.toLowerCase().replace('_', '+');
