import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Notice } from '../ui/blocks.tsx';
import { Table } from '../ui/table.tsx';

/** Something that a new application does not have of what it was made of, or that is different in it. */
interface Part {
  object: string;
  why: string;
}

interface Texts {
  omitted: string;
  omittedColumns: { object: string; why: string };
}

/** What a new application leaves out. Nothing if it has everything. */
export function Omitted({ texts, parts }: { texts: Texts; parts: readonly Part[] }) {
  if (parts.length === 0) return null;
  return (
    <section>
      <h3>{texts.omitted}</h3>
      <Table
        label={texts.omitted}
        columns={texts.omittedColumns}
        empty=""
        rows={parts}
        keyOf={({ object, why }) => `${object} ${why}`}
        cells={(part) => ({ ...part })}
      />
    </section>
  );
}

/** Says that an application was made, with a link to it, and what it leaves out. */
export function MadeApplication({
  made,
  application,
  open,
  children,
}: {
  made: string;
  application: { uid: number; name: string } | null;
  open: (name: string) => string;
  children: ReactNode;
}) {
  return (
    <>
      <Notice tone="good">
        {made}{' '}
        {application && <Link href={`/applications/${application.uid}`}>{open(application.name)}</Link>}
      </Notice>
      {children}
    </>
  );
}
