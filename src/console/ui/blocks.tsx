import { type ReactNode, useEffect, useRef } from 'react';
import type { CombinedError } from 'urql';
import { Link } from 'wouter';
import { strings } from '../strings.ts';
import { Button } from './controls.tsx';
import type { Tone } from './status.tsx';
import { useEdges } from './use-edges.ts';

/** A titled part of a page. One without content is a line: what it says of that, and its buttons. */
export function Section({ title, count, empty, actions, children }: SectionProps) {
  return (
    <section className="section">
      <header>
        <h2>
          {title} {count !== undefined && !empty && <span className="count">{count}</span>}
        </h2>
        {empty && <p className="soft small">{empty}</p>}
        <div className="spacer" />
        {actions}
      </header>
      {children}
    </section>
  );
}
interface SectionProps {
  title: ReactNode;
  count?: number | undefined;
  /** Set if there is no content. */
  empty?: string | false | undefined;
  actions?: ReactNode;
  children?: ReactNode;
}

export function PageHead({ title, status, meta, actions }: PageHeadProps) {
  return (
    <div>
      <div className="page-head">
        <h1 tabIndex={-1}>{title}</h1>
        {status}
        {actions && <div className="actions">{actions}</div>}
      </div>
      {meta && <div className="page-meta">{meta}</div>}
    </div>
  );
}
interface PageHeadProps {
  title: string;
  status?: ReactNode;
  meta?: ReactNode;
  actions?: ReactNode;
}

/** Names and values. Those without a value are left out. */
export function Fields({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="fields card">
      {items.map(
        ([name, value]) =>
          value !== null &&
          value !== undefined &&
          value !== false &&
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function Tabs({ label, texts, current, at }: TabsProps) {
  const nav = useRef<HTMLElement>(null);
  useEdges(nav);
  // A phone shows only some of the tabs.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is the current one
  useEffect(() => {
    const list = nav.current!;
    const tab = list.querySelector<HTMLElement>('[aria-current]');
    if (tab) list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {Object.entries(texts).map(([tab, text]) => (
        <Link key={tab} href={at(tab)} aria-current={tab === current ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
interface TabsProps {
  label: string;
  texts: Readonly<Record<string, string>>;
  current: string;
  /** The address of a tab. */
  at(tab: string): string;
}

export function Notice({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <div className={`notice tone-${tone}`} role="status">
      <span>{children}</span>
    </div>
  );
}

/** Says that a part of a page could not be read, such as what only a cluster that does not respond knows. */
export function PartialError({ error }: { error: CombinedError | undefined }) {
  if (!error) return null;
  return (
    <Notice tone="warn">
      {strings.errors.partial}: {messageOf(error)}
    </Notice>
  );
}

/** The content of an empty page. */
export function Blank({ title, text, isPage, children }: BlankProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="blank">
      <Heading tabIndex={isPage ? -1 : undefined}>{title}</Heading>
      {text && <p>{text}</p>}
      {children}
    </div>
  );
}
/** A blank in the place of a list. */
export const BlankCard = (props: BlankProps) => (
  <div className="card">
    <Blank {...props} />
  </div>
);
interface BlankProps {
  title: string;
  text?: string;
  /** Whether it is all of the page. */
  isPage?: boolean;
  children?: ReactNode;
}

export function Loading({ rows = 6 }: { rows?: number | undefined }) {
  return (
    <div className="card skeleton" role="status" aria-label={strings.common.loading}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <span key={index} style={{ width: `${70 - ((index * 17) % 45)}%` }} />
      ))}
    </div>
  );
}

/** A query of a page: what was read, and what came in the way. */
export interface ViewOf {
  data: unknown;
  error: CombinedError | undefined;
  isLoading: boolean;
  retry(): void;
}

/** How far the query of a page is, above what it has read. */
export const ViewState = ({ view: { data, error, isLoading, retry }, rows }: ViewStateProps) => (
  <>
    {isLoading && <Loading rows={rows} />}
    {error && !data && <LoadError error={error} retry={retry} />}
    {Boolean(data) && <PartialError error={error} />}
  </>
);
interface ViewStateProps {
  view: ViewOf;
  rows?: number;
}

/** Why a page could not be loaded, with what to do. */
export function LoadError({ error, retry }: { error: CombinedError; retry(): void }) {
  const requestId = error.graphQLErrors[0]?.extensions.requestId;
  return (
    <BlankCard isPage title={strings.errors.title} text={messageOf(error)}>
      {typeof requestId === 'string' && (
        <p className="small">
          {strings.errors.requestId} <code>{requestId}</code>
        </p>
      )}
      <Button onClick={retry}>{strings.common.retry}</Button>
    </BlankCard>
  );
}

export const messageOf = ({ networkError, graphQLErrors }: CombinedError) =>
  networkError ? strings.errors.network : [...new Set(graphQLErrors.map(({ message }) => message))].join(' ');

/** The content of a page without its object: that there is none, or why it could not be loaded. */
export function Missing({ error, retry }: { error: CombinedError | undefined; retry(): void }) {
  const isFound =
    error?.networkError || error?.graphQLErrors.some(({ extensions }) => extensions.code !== 'NOT_FOUND');
  return error && isFound ? <LoadError error={error} retry={retry} /> : <NotFound />;
}

export function NotFound() {
  return (
    <BlankCard isPage title={strings.errors.notFound} text={strings.errors.notFoundText}>
      <Link className="button" href="/">
        {strings.errors.home}
      </Link>
    </BlankCard>
  );
}
