import { z } from 'zod';
import {
  type TrafficGap,
  type TrafficHistory,
  type TrafficSeries,
  trafficGaps,
} from '../../../drivers/region/traffic.ts';
import { maxPoints, type UsageWindow } from '../../../drivers/region/usage-history.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { enumOf } from '../../../graphql/schema/input.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { Component } from '../graphql.ts';
import { maxReads } from '../instances/reads.ts';
import { UsagePeriodEnum, UsagePointType } from './history-graphql.ts';
import { measuredFields, trafficHistoryOf } from './history-reads.ts';

const TrafficHistoryGapEnum = enumOf(
  'TrafficHistoryGap',
  z.enum(Object.keys(trafficGaps) as [TrafficGap]),
  'Why there is no history of the HTTP requests to a component.',
  trafficGaps,
);

const pointsOf = (history: TrafficHistory, series: TrafficSeries) =>
  history.gap === null ? history[series] : null;

const ComponentTrafficHistory = objectType<UsageWindow & { history: TrafficHistory }>(
  'ComponentTrafficHistory',
  {
    description: `The HTTP requests that the gateway of the cluster sent to a component over time. A series has at most ${maxPoints} points, oldest first, and no points for times without recorded data. A series is null if the region has no query for it.`,
    exposes: {
      'from: DateTime!': 'The time of the first points.',
      'to: DateTime!': 'The time of the last points.',
      'stepSeconds: Int!': 'The time between two points, in seconds.',
    },
    fields: (t) => ({
      gap: t.field({
        type: TrafficHistoryGapEnum,
        nullable: true,
        description: 'The reason why there is no history. Null if there is a history.',
        resolve: ({ history }) => history.gap,
      }),
      requestsPerSecond: t.field({
        type: [UsagePointType],
        nullable: true,
        description: 'The HTTP requests per second, as computed by the query of the region.',
        resolve: ({ history }) => pointsOf(history, 'requestsPerSecond'),
      }),
      errorsPerSecond: t.field({
        type: [UsagePointType],
        nullable: true,
        description: 'The responses per second with a status from 500 to 599.',
        resolve: ({ history }) => pointsOf(history, 'errorsPerSecond'),
      }),
      latencyP95Ms: t.field({
        type: [UsagePointType],
        nullable: true,
        description:
          'The 95th percentile of the time that responses took, in milliseconds: 95 % of them took less.',
        resolve: ({ history }) => pointsOf(history, 'latencyP95Ms'),
      }),
    }),
  },
);

builder.objectField(Component, 'trafficHistory', (t) =>
  t.using(...measuredFields).field({
    type: ComponentTrafficHistory,
    ...nullOnError,
    description: `The HTTP requests that the gateway of the cluster sent to the component over time: their number, failures and latency. They are read from the metrics server of the region, with the queries of the region for its gateway. \`gap\` says why there is no history. A request can read the history of at most ${maxReads} components. Null with a REGION_UNAVAILABLE error if the metrics server does not respond.`,
    args: {
      last: t.arg({
        type: UsagePeriodEnum,
        description: 'The period of the history, which ends now. Defaults to HOUR.',
      }),
    },
    resolve: (component, { last }, context) => trafficHistoryOf(context, component, last ?? 'hour'),
  }),
);
