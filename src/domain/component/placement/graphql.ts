import type { NodeLabel, Placement, Toleration } from '../../../drivers/region/placement.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { property, propertyOrNull } from '../../../graphql/schema/exposed.ts';
import { enumOf, inputOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { Component } from '../graphql.ts';
import { nextDeploy } from '../model.ts';
import {
  nodeLabel,
  placementSpread,
  setPlacement,
  storedPlacement,
  toleration,
  tolerationEffect,
  tolerationOperator,
} from './model.ts';
import * as operations from './operations.ts';

const PlacementSpread = enumOf(
  'PlacementSpread',
  placementSpread,
  'The domains that the instances of a component are spread over.',
  { node: 'Nodes.', zone: 'Zones of the cluster.' },
);
const TolerationOperator = enumOf(
  'TolerationOperator',
  tolerationOperator,
  'The comparison of a toleration with taints.',
  { exists: 'The keys are equal.', equal: 'The keys and the values are equal.' },
);
const TolerationEffect = enumOf('TolerationEffect', tolerationEffect, 'The effect of a taint.', {
  no_schedule: 'Keeps new instances away.',
  prefer_no_schedule: 'Keeps new instances away if they can run elsewhere.',
  no_execute: 'Keeps new instances away, and removes running ones.',
});
inputOf('NodeLabelInput', nodeLabel, 'A label that a node must have.');
inputOf('TolerationInput', toleration, 'Taints of nodes that instances tolerate.');

const NodeLabelType = objectType<NodeLabel>('NodeLabel', {
  description: 'A label that a node must have.',
  exposes: {
    'key: String!': 'The key of the label.',
    'value: String!': 'The value of the label.',
  },
});

const TolerationType = objectType<Toleration>('Toleration', {
  description: 'Taints of nodes that instances tolerate.',
  exposes: {
    'key: String': 'The key of the taints. Null if taints of all keys match.',
    'value: String': 'The value of the taints. Null with the operator EXISTS.',
    operator: property(TolerationOperator, 'The comparison with taints.'),
    effect: propertyOrNull(TolerationEffect, 'The effect of the taints. Null if all effects match.'),
  },
});

const PlacementType = objectType<Placement>('Placement', {
  description:
    'The placement of the instances of a component: the nodes that they run on, and the number that stays available while nodes are drained.',
  exposes: {
    'minAvailable: Int!':
      'The number of instances that stay available while nodes are drained. Has no effect on a component with one instance. If the component has since been scaled to this number of instances or fewer, one less than its number of instances.',
    spread: propertyOrNull(
      PlacementSpread,
      'The domains that instances are spread over evenly, as far as possible. Null if the cluster decides.',
    ),
  },
  fields: (t) => ({
    nodeLabels: t.field({
      type: [NodeLabelType],
      description: 'The labels that nodes must have for instances to run on them, sorted by key.',
      resolve: ({ nodeLabels }) => [...nodeLabels],
    }),
    tolerations: t.field({
      type: [TolerationType],
      description: 'The taints of nodes that instances tolerate.',
      resolve: ({ tolerations }) => [...tolerations],
    }),
  }),
});

builder.objectField(Component, 'needsRoot', (t) =>
  t.exposeBoolean('needsRoot', {
    description:
      'Whether the processes of the image need to run as root. Otherwise, in a region with a cluster, instances start only if the image specifies another user by its number.',
  }),
);

builder.objectField(Component, 'placement', (t) =>
  t.using('placement').field({
    type: PlacementType,
    description:
      'The placement of the instances: the nodes that they run on, and the number that stays available while nodes are drained. Takes effect in regions with a cluster.',
    resolve: (component) => storedPlacement(component),
  }),
);

mutation('setPlacement', setPlacement, operations.setPlacement, {
  description: `Sets the placement of a component as a whole: the nodes on which its instances run, what they are spread over, and how many of them stay available while nodes are drained. ${nextDeploy} Idempotent.`,
  operation: {
    advice:
      'Replaces the whole placement: fields that are omitted get their defaults. get_component has the current placement.',
    selection: { component: 'id name hasUndeployedChanges revision placement { ...Placement }' },
  },
  payload: { component: property(Component, 'The changed component.') },
});
