/**
 * Whether the nodes of a cluster can serve a port, which then belongs to one Service on all of their addresses.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
 */
export const isNodePort = (port: number): boolean => port >= 30_000 && port <= 32_767;
