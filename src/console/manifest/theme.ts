import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const severities = [
  ['error', 'var(--bad)'],
  ['warning', 'var(--warn)'],
  ['info', 'var(--text-soft)'],
] as const;

const marked = ([severity, color]: (typeof severities)[number]) => ({
  [`.cm-lintRange-${severity}`]: {
    backgroundImage: 'none',
    textDecoration: `underline wavy ${color}`,
    textUnderlineOffset: '3px',
  },
  [`.cm-lint-marker-${severity}`]: {
    width: '8px',
    height: '8px',
    margin: '6px 3px 0',
    borderRadius: '50%',
    backgroundColor: color,
    content: '""',
  },
  [`.cm-diagnostic-${severity}`]: { borderLeftColor: color },
});

/** The colors of styles/tokens.css, which follow the color scheme. */
export const theme = [
  EditorView.theme({
    '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
    // The frame around it has the outline.
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
    '.cm-content': { padding: '10px 0', caretColor: 'var(--text)' },
    '.cm-line': { padding: '0 14px 0 8px' },
    '.cm-gutters': {
      backgroundColor: 'var(--surface)',
      color: 'var(--text-soft)',
      borderRight: '1px solid var(--line)',
    },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
    ...Object.assign({}, ...severities.map(marked)),
    '.cm-tooltip': {
      maxWidth: 'min(440px, 90vw)',
      border: '1px solid var(--line)',
      borderRadius: 'var(--radius)',
      backgroundColor: 'var(--raised)',
      color: 'var(--text)',
      boxShadow: 'var(--shadow)',
    },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, color: 'var(--link)' },
      { tag: tags.string, color: 'var(--good)' },
      { tag: [tags.lineComment, tags.punctuation, tags.meta], color: 'var(--text-soft)' },
      { tag: [tags.labelName, tags.typeName, tags.keyword], color: 'var(--warn)' },
    ]),
  ),
];
