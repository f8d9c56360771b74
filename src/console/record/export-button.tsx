import { useEffect, useRef, useState } from 'react';
import type { ResultOf, VariablesOf } from '../api/graphql.ts';
import { type Requested, request } from '../api/request.ts';
import type { TeamRecordQuery } from '../documents/record.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';
import { download } from '../ui/download.ts';
import { whoOf } from './event.tsx';
import { type RecordEvent, type Recorded, recordIn, type Variables } from './request.ts';

const text = strings.record;
/** Events in one request, and in one file. */
const [pageSize, most] = [100, 10_000];

/** A value of a CSV file. Programs for tables take what begins with these signs for formulas. */
const cellOf = (value: string) =>
  `"${(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;

const columnsOf = (event: RecordEvent): string[] => [
  event.at,
  whoOf(event),
  event.action,
  event.summary,
  event.objectType,
  event.objectName ?? '',
  JSON.stringify(
    Object.fromEntries(event.changes.map((each) => [each.field, [each.oldValue, each.newValue]])),
  ),
  event.requestId,
];

/** Offers the events that fit the filter as a CSV file, newest first. */
export function ExportButton({
  document,
  filter,
}: {
  document: typeof TeamRecordQuery;
  filter: Omit<Variables, 'first' | 'after'> & { by: { name: string } };
}) {
  const [state, setState] = useState<{ isBusy: boolean; note?: string }>({ isBusy: false });
  const left = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    left.current = controller;
    return () => controller.abort();
  }, []);
  async function save() {
    setState({ isBusy: true });
    const rows = [text.columns];
    const { signal } = left.current;
    let after: string | null = null;
    do {
      const variables: VariablesOf<typeof document> = { ...filter, first: pageSize, after };
      const answer: Requested<ResultOf<typeof document>> = await request(document, variables, signal);
      const events: Recorded['events'] | undefined = recordIn(answer.data)?.events;
      if (!events)
        return setState({ isBusy: false, note: answer.failure?.message ?? strings.errors.unexpected });
      rows.push(...events.nodes.map(columnsOf));
      after = events.pageInfo.hasNextPage ? events.pageInfo.endCursor : null;
    } while (after !== null && rows.length <= most);
    download('record.csv', 'text/csv', rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join(''));
    setState({ isBusy: false, ...(after !== null && { note: text.exportCut(rows.length - 1) }) });
  }
  return (
    <>
      <Button disabled={state.isBusy} onClick={() => void save().catch(() => {})}>
        {state.isBusy ? text.exporting : text.exportCsv}
      </Button>
      {state.note && <span role="status">{state.note}</span>}
    </>
  );
}
