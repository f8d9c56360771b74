import { builder } from '../../../graphql/schema/builder.ts';
import { connectionField } from '../../../graphql/schema/connection.ts';
import { Region } from '../../region/graphql.ts';
import { Component } from '../graphql.ts';
import { duplicatesIn } from './reads.ts';

builder.objectField(Region, 'duplicateComponents', (t) =>
  connectionField(t.using('id'), {
    node: Component,
    plural: 'components',
    description:
      'The components whose `clusterName` an older component of the same team in the region has as well, which an earlier version of Trellis allowed. What runs of them stays, and they cannot be deployed: create a component with another name in the place of each. Those that are visible to the caller.',
    list: (region, _, context) => duplicatesIn(context, region.id),
  }),
);
