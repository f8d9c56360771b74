import type { ResultOf } from '../api/graphql.ts';
import type { ComponentUsageQuery } from '../documents/usage.ts';
import { Fields, Notice } from '../ui/blocks.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';

type Component = NonNullable<ResultOf<typeof ComponentUsageQuery>['component']>;
type Usage = NonNullable<Component['usage']>;

const amountOf = (value: number | null, amount: (value: number) => string) =>
  value === null ? '–' : amount(value);

/** The present usage of each instance, or why there is none. */
export function Present({ component, usage }: { component: Component; usage: Usage }) {
  const { gap, instances } = usage;
  return (
    <div className="usage-present">
      {gap && <Notice tone="idle">{text.gaps[gap]}</Notice>}
      {gap !== 'NO_CLUSTER' && (
        <>
          <Fields
            items={[
              [text.cpuInUse, usage.cpuMillicores !== null && text.cpu(usage.cpuMillicores)],
              [text.memoryInUse, usage.memoryMiB !== null && text.memory(usage.memoryMiB)],
              [text.requested, `${text.cpu(component.cpuMillicores)} · ${text.memory(component.memoryMiB)}`],
              [text.restarts, usage.restarts],
            ]}
          />
          <Table
            label={text.present}
            columns={text.columns}
            empty={text.none}
            rows={instances}
            keyOf={({ name }) => name}
            classes={{ name: 'mono', restarts: 'soft', measured: 'soft' }}
            cells={({ name, cpuMillicores, memoryMiB, restarts, measuredAt }) => ({
              name,
              cpu: amountOf(cpuMillicores, text.cpu),
              memory: amountOf(memoryMiB, text.memory),
              restarts,
              measured: measuredAt ? <Time at={measuredAt} /> : '–',
            })}
          />
        </>
      )}
    </div>
  );
}
