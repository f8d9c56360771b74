import type { ResultOf } from '../api/graphql.ts';
import type { ComponentUsageQuery } from '../documents/usage.ts';
import { Fields, Notice, Table } from '../ui/blocks.tsx';
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
          <Table label={text.present} columns={Object.values(text.columns)} empty={text.none}>
            {instances.map(({ name, cpuMillicores, memoryMiB, restarts, measuredAt }) => (
              <tr key={name}>
                <td className="mono">{name}</td>
                <td>{amountOf(cpuMillicores, text.cpu)}</td>
                <td>{amountOf(memoryMiB, text.memory)}</td>
                <td className="soft">{restarts}</td>
                <td className="soft">{measuredAt ? <Time at={measuredAt} /> : '–'}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </div>
  );
}
