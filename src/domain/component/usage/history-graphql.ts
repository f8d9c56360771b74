import { z } from 'zod';
import {
  type HistoryGap,
  historyGaps,
  maxPoints,
  type UsageHistory,
  type UsagePoint,
  type UsageSeries,
  type UsageWindow,
} from '../../../drivers/region/usage-history.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { enumOf } from '../../../graphql/schema/input.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { Component } from '../graphql.ts';
import { maxReads } from '../instances/reads.ts';
import { measuredFields, usageHistoryOf } from './history-reads.ts';
import { usagePeriod, usagePeriods } from './model.ts';

export const UsagePeriodEnum = enumOf(
  'UsagePeriod',
  usagePeriod,
  'The period of a usage history.',
  usagePeriods,
);

const UsageHistoryGapEnum = enumOf(
  'UsageHistoryGap',
  z.enum(Object.keys(historyGaps) as [HistoryGap]),
  'Why there is no history of the usage of a component.',
  historyGaps,
);

export const UsagePointType = objectType<UsagePoint>('UsagePoint', {
  description: 'A measurement at a point in time.',
  exposes: {
    'at: DateTime!': 'The time.',
    'value: Float!': 'The value at this time.',
  },
});

const pointsOf = (history: UsageHistory, series: UsageSeries) =>
  history.gap === null ? history[series] : [];

const ComponentUsageHistory = objectType<UsageWindow & { history: UsageHistory }>('ComponentUsageHistory', {
  description: `The total resource usage of the instances of a component over time. A series has at most ${maxPoints} points, oldest first, and no points for times without recorded data.`,
  exposes: {
    'from: DateTime!': 'The time of the first points.',
    'to: DateTime!': 'The time of the last points.',
    'stepSeconds: Int!': 'The time between two points, in seconds.',
  },
  fields: (t) => ({
    gap: t.field({
      type: UsageHistoryGapEnum,
      nullable: true,
      description: 'The reason why there is no history. Null if there is a history.',
      resolve: ({ history }) => history.gap,
    }),
    cpuMillicores: t.field({
      type: [UsagePointType],
      description:
        'The CPU in use, in millicores (1000 = 1 core): the average over the step before each point, or over two minutes if that is longer.',
      resolve: ({ history }) => pointsOf(history, 'cpuMillicores'),
    }),
    memoryMiB: t.field({
      type: [UsagePointType],
      description: 'The memory in use, in MiB.',
      resolve: ({ history }) => pointsOf(history, 'memoryMiB'),
    }),
    restarts: t.field({
      type: [UsagePointType],
      description:
        'The number of container restarts of the instances at that time. Empty if the metrics server does not record restarts.',
      resolve: ({ history }) => pointsOf(history, 'restarts'),
    }),
  }),
});

builder.objectField(Component, 'usageHistory', (t) =>
  t.using(...measuredFields).field({
    type: ComponentUsageHistory,
    ...nullOnError,
    description: `The usage of the instances over time, from the metrics server of the region. \`gap\` says why there is no history. A request can read the history of at most ${maxReads} components. Null with a REGION_UNAVAILABLE error if the metrics server does not respond.`,
    args: {
      last: t.arg({
        type: UsagePeriodEnum,
        description: 'The period of the history, which ends now. Defaults to HOUR.',
      }),
    },
    resolve: (component, { last }, context) => usageHistoryOf(context, component, last ?? 'hour'),
  }),
);
