import { parseSync } from 'vite';
import { sources, textOf } from './imports.ts';

/** A node of the syntax tree. */
export type Node = any;

/** A text of the server with values in it, that somebody reads. */
export interface Template {
  file: string;
  line: number;
  /** The source of the template, on one line. */
  text: string;
  /** The texts between the values. */
  parts: string[];
  values: Node[];
  /** The nodes around it, outermost first. */
  ancestors: Node[];
}

/** What runs elsewhere, and what operators read in a terminal or a log. */
const isElsewhere = (file: string) =>
  /^(cli|console|commands|build|formats|convert|telemetry)\/|^db\/(query|postgres|sqlite|migrate|work|write\/(bulk|deletion|stamp))|graphiql|^settings/.test(
    file,
  );

const serverFiles = sources.filter((file) => !isElsewhere(file));

/** Two words in a row, the second of which can be a value, and no statement for a database. */
const isProse = (parts: readonly string[]) =>
  /[a-z]{2,},? ([a-z]{2,}|…)|… [a-z]{2,}/i.test(parts.join('…')) &&
  !/\b(SELECT|FROM|WHERE|CAST|CASE|COALESCE|IS NULL|NOT IN|LIKE|AND|OR|ON|IN|AS|UNION)\b/.test(
    parts.join('…'),
  );

/** Descriptions of the schema, lines of the log, and errors whose message is masked or is for developers. */
function isForOthers(ancestors: readonly Node[]): boolean {
  return ancestors.some((node, index) => {
    const inner = ancestors[index + 1];
    if (node.type === 'Property') return /^(description|describe|summary)$/.test(nameOf(node.key) ?? '');
    if (node.type === 'NewExpression') return nameOf(node.callee) === 'Error';
    if (node.type !== 'CallExpression') return false;
    const callee =
      node.callee.type === 'MemberExpression' ? nameOf(node.callee.property) : nameOf(node.callee);
    if (/^(describe|described|about|debug|info|warn|update)$/.test(callee ?? ''))
      return inner !== node.callee;
    return false;
  });
}

export const nameOf = (node: Node): string | undefined =>
  node?.type === 'Identifier' ? node.name : node?.type === 'Literal' ? String(node.value) : undefined;

export interface Source {
  file: string;
  program: Node;
}

export const parse = (file: string, text = textOf(file)): Source => {
  const { program, errors } = parseSync(file, text, { astType: 'ts' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  return { file, program };
};

/** Calls `visit` with every node, and with those around it. */
export function walk(
  node: Node,
  visit: (node: Node, ancestors: Node[]) => void,
  ancestors: Node[] = [],
): void {
  visit(node, ancestors);
  const inside = [...ancestors, node];
  for (const [key, value] of Object.entries(node)) {
    // Types have no values.
    if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'typeParameters') continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each && typeof (each as Node).type === 'string') walk(each, visit, inside);
    }
  }
}

/** The templates of a source that people read as messages. */
export function templatesOf({ file, program }: Source, text = textOf(file)): Template[] {
  const found: Template[] = [];
  walk(program, (node, ancestors) => {
    if (node.type !== 'TemplateLiteral' || node.expressions.length === 0) return;
    const parts: string[] = node.quasis.map((quasi: Node) => quasi.value.cooked);
    if (!isProse(parts) || isForOthers(ancestors)) return;
    found.push({
      file,
      line: text.slice(0, node.start).split('\n').length,
      text: text.slice(node.start + 1, node.end - 1).replace(/\s+/g, ' '),
      parts,
      values: node.expressions,
      ancestors,
    });
  });
  return found;
}

let all: { source: Source; templates: Template[] }[] | undefined;

/** Every file of the server with its templates. */
export function everyTemplate() {
  all ??= serverFiles.map((file) => {
    const text = textOf(file);
    const source = parse(file, text);
    return { source, templates: templatesOf(source, text) };
  });
  return all;
}
