import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { boundedLook } from '../../../drivers/region/driver.ts';
import type { Reader } from '../../../drivers/region/instances.ts';
import { type TrafficHistory, trafficSeries } from '../../../drivers/region/traffic.ts';
import type { UsageAccess } from '../../../drivers/region/usage.ts';
import type { UsageHistory, UsageWindow } from '../../../drivers/region/usage-history.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { loadRegion } from '../../region/reads.ts';
import { inspectedFields, lookFailure, readerOf, readOnce } from '../instances/reads.ts';
import { aloneSince } from '../names/alone-reads.ts';
import { type UsagePeriod, windowOf } from './model.ts';

export const measuredFields = [
  ...inspectedFields,
  'cpuMillicores',
  'memoryMiB',
  'createdAt',
] as const satisfies (keyof Row<'Component'>)[];
type Measured = Pick<Row<'Component'>, (typeof measuredFields)[number]>;

/** The bytes of a point in a response. */
const pointBytes = 60;

/** The recorded usage of a component over time, or why there is none. REGION_UNAVAILABLE if the metrics server does not respond. */
async function historyOf<H extends { gap: unknown }>(
  context: Context,
  component: Measured,
  period: UsagePeriod,
  { kind, noCluster, sharedName, read, count }: Kind<H>,
): Promise<UsageWindow & { history: H }> {
  const region = await loadRegion(context, component.regionId);
  const driver = context.drivers.region.get(region.driver);
  const window = windowOf(period, Date.now());
  if (driver && !driver.usage) return { ...window, history: noCluster };
  const reader = readerOf(context, component);
  try {
    if (!driver?.usage) throw new Error(`There is no region driver named ${region.driver}.`);
    const { usage: access, timeoutMs } = driver;
    const since = await aloneSince(context, component);
    if (since === null) return { ...window, history: sharedName };
    const measured = { ...component, createdAt: since };
    const history = await readOnce(context, kind, [component.id, period], () =>
      boundedLook((signal) => read(access, measured, reader, window, signal), context, timeoutMs),
    );
    context.budget?.reserve(count(history) * pointBytes);
    return { ...window, history };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw lookFailure(context, component, error);
  }
}

interface Kind<H> {
  kind: 'usage history' | 'traffic history';
  noCluster: H;
  sharedName: H;
  read(
    access: UsageAccess,
    ...call: [component: Measured, reader: Reader, window: UsageWindow, signal: AbortSignal]
  ): Promise<H>;
  /** The number of points. */
  count(history: H): number;
}

const usage: Kind<UsageHistory> = {
  kind: 'usage history',
  noCluster: { gap: 'no_cluster' },
  sharedName: { gap: 'shared_name' },
  read: (access, ...call) => access.history(...call),
  count: (history) => (history.gap === null ? 3 * history.cpuMillicores.length : 0),
};

const traffic: Kind<TrafficHistory> = {
  kind: 'traffic history',
  noCluster: { gap: 'no_cluster' },
  sharedName: { gap: 'shared_name' },
  read: (access, ...call) => access.traffic(...call),
  count: (history) =>
    history.gap === null ? trafficSeries.reduce((sum, series) => sum + (history[series]?.length ?? 0), 0) : 0,
};

export const usageHistoryOf = (context: Context, component: Measured, period: UsagePeriod) =>
  historyOf(context, component, period, usage);

/** The HTTP requests to a component over time. */
export const trafficHistoryOf = (context: Context, component: Measured, period: UsagePeriod) =>
  historyOf(context, component, period, traffic);
