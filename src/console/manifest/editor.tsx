import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { Issue } from '../form/failure.ts';
import { theme } from './theme.ts';

export interface EditorHandle {
  focus(): void;
  /** Moves the cursor to the place of an issue. */
  show(issue: Issue): void;
}

/** Something to say about a place of the text: an error, unless it is less. */
export interface Mark extends Issue {
  severity?: Diagnostic['severity'];
}

interface Props {
  label: string;
  value: string;
  /** Undefined if it cannot be edited. */
  change?(value: string): void;
  issues?: readonly Mark[];
  /** The id of what describes it. */
  description?: string;
  ref?: Ref<EditorHandle>;
}

const noIssues: readonly Mark[] = [];

/** A manifest with line numbers and colors. The Tab key is not bound, so that it leaves the editor. */
export function Editor({ label, value, change, issues = noIssues, description, ref }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(change);
  useEffect(() => {
    latest.current = change;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value is set below, and the others do not change
  useEffect(() => {
    const editor = new EditorView({
      doc: value,
      parent: root.current!,
      extensions: [
        lineNumbers(),
        yaml(),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': label,
          // Focusable by itself, but not to checkers of accessibility.
          tabindex: '0',
          ...(description !== undefined && { 'aria-describedby': description }),
        }),
        ...(change
          ? [
              history(),
              lintGutter(),
              highlightActiveLine(),
              keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap]),
              EditorView.updateListener.of(({ docChanged, state }) => {
                if (docChanged) latest.current?.(state.doc.toString());
              }),
            ]
          : [EditorState.readOnly.of(true), keymap.of(defaultKeymap)]),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const { state } = view.current!;
    if (state.doc.toString() !== value)
      view.current!.dispatch({ changes: { from: 0, to: state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const { state } = view.current!;
    view.current!.dispatch(setDiagnostics(state, diagnosticsOf(state.doc, issues)));
  }, [issues]);
  useImperativeHandle(ref, () => ({
    focus: () => view.current?.focus(),
    show(issue) {
      if (!view.current) return;
      const { from } = rangeOf(view.current.state.doc, issue);
      view.current.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.current.focus();
    },
  }));
  return <div ref={root} className="card editor" />;
}

const diagnosticsOf = (doc: Text, issues: readonly Mark[]): Diagnostic[] =>
  issues
    .filter(({ line }) => line !== undefined)
    .map((issue) => ({ ...rangeOf(doc, issue), severity: issue.severity ?? 'error', message: issue.message }))
    .sort((one, other) => one.from - other.from);

/** The word at the place of an issue, which may be beyond the end of what was typed since. */
function rangeOf(doc: Text, { line = 1, column = 1 }: Issue): { from: number; to: number } {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = Math.min(from + column - 1, to);
  const word = /^[^\s:,}\]]+/.exec(text.slice(start - from))?.[0].length ?? 0;
  return { from: start, to: word > 0 ? start + word : to };
}
