export const text = {
  set: 'Placement',
  setTitle: (name: string) => `Placement of ${name}`,
  setIntro:
    'Selects nodes for the instances, and sets how many instances stay available while nodes are drained. Changes take effect with the next deploy.',
  fields: {
    nodeLabels: 'Node labels',
    addNodeLabel: 'Add label',
    tolerations: 'Tolerations',
    addToleration: 'Add toleration',
    spread: 'Spread instances over',
    minAvailable: 'Minimum available instances',
  },
  hints: {
    nodeLabels: 'Instances run on nodes with all of these labels.',
    tolerations: 'Instances can run on nodes with these taints.',
    minAvailable: 'Must be lower than the number of instances. No effect on a component with one instance.',
  },
  operators: { EQUAL: 'Equals', EXISTS: 'Exists' },
  effects: {
    '': 'All effects',
    NO_SCHEDULE: 'No new instances',
    PREFER_NO_SCHEDULE: 'Preferably no new instances',
    NO_EXECUTE: 'No instances',
  },
  spreads: { '': 'Cluster default', NODE: 'Nodes', ZONE: 'Zones' },
  label: 'Placement',
  anywhere: 'Any node',
  spreadOver: { NODE: 'spread over nodes', ZONE: 'spread over zones' },
  tolerated: (count: number) => `${count} ${count === 1 ? 'toleration' : 'tolerations'}`,
  available: (count: number) => `${count} available while nodes are drained`,
};

interface Placement {
  nodeLabels: readonly { key: string; value: string }[];
  tolerations: readonly unknown[];
  spread: keyof typeof text.spreadOver | null;
  minAvailable: number;
}

/** Empty if instances can run on all nodes. */
export const placementText = ({ nodeLabels, tolerations, spread, minAvailable }: Placement) =>
  [
    ...nodeLabels.map(({ key, value }) => `${key}=${value}`),
    ...(tolerations.length > 0 ? [text.tolerated(tolerations.length)] : []),
    ...(spread ? [text.spreadOver[spread]] : []),
    ...(minAvailable === 1 ? [] : [text.available(minAvailable)]),
  ].join(', ');
