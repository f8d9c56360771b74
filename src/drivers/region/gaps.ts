/** Why nothing that was recorded of a component can be read, whatever it is. */
export const gaps = {
  noCluster: 'The region has no cluster: its driver is DECLARED.',
  sharedName:
    'Another component of the team in the region has the same cluster name, or was deleted and can still have instances with it. Recorded data is stored by cluster name, so it could belong to either component.',
} as const;
