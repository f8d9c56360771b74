import { CopyButton } from './copy-button.tsx';

/** Lines of a shell to copy. */
export function Example({ title, value }: { title: string; value: string }) {
  return (
    <div className="example">
      <div className="row">
        <strong>{title}</strong>
        <div className="spacer" />
        <CopyButton value={value} />
      </div>
      {/* A keyboard can scroll what is wider than the dialog. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section className="card mono" tabIndex={0} aria-label={title}>
        <pre>{value}</pre>
      </section>
    </div>
  );
}
