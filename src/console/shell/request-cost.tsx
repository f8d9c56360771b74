import type { Cost, Explanation } from '../api/costs.ts';
import { strings } from '../strings.ts';

const text = strings.request;
const counted = ['fields', 'statements', 'rows', 'bytes'] as const;
const phases = ['receive', 'parse', 'validate', 'execute', 'statements', 'total'] as const;

/** How long the request took, and what it cost on the server. */
export function RequestCost({ cost: { ms, objects, explanation } }: { cost: Cost }) {
  const summary = text.cost(ms, objects);
  if (!explanation) return <span>{summary}</span>;
  return (
    <details className="request-cost">
      <summary>{summary}</summary>
      <Explained explanation={explanation} />
    </details>
  );
}

function Explained({ explanation }: { explanation: Explanation }) {
  const { milliseconds, limits, isDocumentCached } = explanation;
  const number = (value: number | null) =>
    value === null ? '–' : value.toLocaleString('en', { maximumFractionDigits: 1 });
  return (
    <div className="explained">
      <Figures
        title={text.counts}
        rows={[
          ...counted.map((name) => [text.counted[name], number(explanation[name])] as const),
          [text.cached, isDocumentCached ? strings.common.yes : strings.common.no],
        ]}
      />
      <Figures
        title={text.milliseconds}
        rows={phases.map((name) => [text.phases[name], number(milliseconds[name])])}
      />
      <Figures
        title={text.limits}
        rows={limits.map(({ name, used, max }) => [
          name,
          max === null ? number(used) : text.ofLimit(number(used), number(max)),
        ])}
        isMono
      />
    </div>
  );
}

interface FiguresProps {
  title: string;
  rows: readonly (readonly [name: string, value: string])[];
  isMono?: boolean;
}

const Figures = ({ title, rows, isMono }: FiguresProps) => (
  <table>
    <caption>{title}</caption>
    <tbody>
      {rows.map(([name, value]) => (
        <tr key={name}>
          <th scope="row" className={isMono ? 'mono' : undefined}>
            {name}
          </th>
          <td>{value}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
