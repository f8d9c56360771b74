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
      <table>
        <caption>{text.counts}</caption>
        <tbody>
          {counted.map((name) => (
            <tr key={name}>
              <th scope="row">{text.counted[name]}</th>
              <td>{number(explanation[name])}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{text.cached}</th>
            <td>{isDocumentCached ? strings.common.yes : strings.common.no}</td>
          </tr>
        </tbody>
      </table>
      <table>
        <caption>{text.milliseconds}</caption>
        <tbody>
          {phases.map((name) => (
            <tr key={name}>
              <th scope="row">{text.phases[name]}</th>
              <td>{number(milliseconds[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table>
        <caption>{text.limits}</caption>
        <tbody>
          {limits.map(({ name, used, max }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td>{max === null ? number(used) : text.ofLimit(number(used), number(max))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
