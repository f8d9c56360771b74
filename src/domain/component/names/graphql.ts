import { addList } from '../../../graphql/schema/list.ts';
import { Region } from '../../region/graphql.ts';
import { Component } from '../graphql.ts';
import { duplicatesIn } from './reads.ts';

addList(Region, 'duplicateComponents', Component, {
  plural: 'components',
  description:
    'The components whose `clusterName` an older component of the same team in the region has as well, which an earlier version of Trellis allowed. What runs of them stays, and they cannot be deployed: create a component with another name in the place of each. Those that are visible to the caller.',
  list: (region, _, context) => duplicatesIn(context, region.id),
});
