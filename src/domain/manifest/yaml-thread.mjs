// Parses and writes YAML on a thread of its own: a megabyte can take the library seconds, in one call.
import { parentPort, workerData } from 'node:worker_threads';
import * as yaml from 'yaml';

Error.stackTraceLimit = 0;
const { limits } = workerData;

const options = (lineCounter) => ({
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
  customTags: [],
  resolveKnownTags: false,
  lineCounter,
});

class Refused extends Error {
  constructor(...problems) {
    super();
    this.problems = problems.slice(0, mostProblems);
  }
}

/** The most problems that are reported. Where a text has as many, the rest of it is not read. */
const mostProblems = 100;

const refused = (message, offset) => new Refused({ message, offset });

/** The tokens of a text, whose values are counted before they are composed. */
function* tokensOf(text) {
  const parser = new yaml.Parser();
  let values = 0;
  let depth = 0;
  let offset = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    const type = yaml.CST.tokenType(lexeme);
    if (
      type === 'scalar' ||
      type === 'flow-map-start' ||
      type === 'flow-seq-start' ||
      type === 'seq-item-ind'
    )
      values++;
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth++;
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth--;
    if (values > limits.values) throw refused(`Must have at most ${limits.values} values`, offset);
    if (depth > 50) throw refused('Is nested too deeply', offset);
    if (!'\u0002\u0018\u001f'.includes(lexeme)) offset += lexeme.length;
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** The first document of a text, as `yaml.parseDocument` returns it. It would split the text into lexemes once more. */
function documentOf(text) {
  const composer = new yaml.Composer(options(undefined));
  const problems = [];
  composer.onError = (source, _, message) => {
    const offset = Array.isArray(source) ? source[0] : (source.offset ?? source);
    if (problems.push({ message, offset }) === mostProblems) throw new Refused(...problems);
  };
  function* valid() {
    for (const token of tokensOf(text)) {
      if (token.type === 'error') composer.onError(token, undefined, token.message);
      else yield token;
    }
  }
  let doc;
  for (const each of composer.compose(valid(), true, text.length)) {
    if (doc)
      throw new Refused(...problems, { message: 'The text has multiple documents', offset: each.range[0] });
    doc = each;
  }
  if (problems.length > 0) throw new Refused(...problems);
  return doc;
}

/** What the aliases of a document stand for. `Alias.resolve` would walk the document once for each. */
function targetsOf(doc) {
  const anchors = new Map();
  const targets = new Map();
  yaml.visit(doc, {
    Node(_, node) {
      if (yaml.isAlias(node)) targets.set(node, anchors.get(node.source));
      else if (node.anchor) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

const isVariable = (path) =>
  path[0] === 'components' &&
  (path[2] === 'variables' || path[2] === 'connectionVariables') &&
  (path.length === 4 || (path.length === 5 && path[4] === 'value'));

/** The text has more than it may be expanded to, which is what was counted. */
class TooLarge extends Error {
  constructor(expanded) {
    super('Is too large with its aliases');
    this.expanded = expanded;
  }
}

/** The document as JSON text. What it is expanded to is counted while it is made, so that no more is made than may be. */
function toJson(doc, most) {
  let aliases = 0;
  const expanded = { characters: 0, values: 0 };
  const count = (text) => {
    expanded.characters += text.length;
    if (expanded.characters > most.characters) throw new TooLarge(expanded);
    return text;
  };
  const open = new Set();
  const targets = targetsOf(doc);
  const problems = [];
  const keyOf = (key) => {
    if (!yaml.isScalar(key)) throw refused('Keys must be plain names', key?.range?.[0] ?? 0);
    return typeof key.value === 'string' ? key.value : String(key.source ?? key.value);
  };
  const json = (node, path) => {
    if (path.length > 50) throw refused('Is nested too deeply', node.range?.[0] ?? 0);
    if (yaml.isAlias(node)) {
      if (++aliases > limits.aliases)
        throw refused(
          `Must have at most ${limits.aliases} aliases, counted where they are used`,
          node.range[0],
        );
      const target = targets.get(node);
      if (!target) throw refused(`Unknown anchor ${node.source}`, node.range[0]);
      if (open.has(target)) throw refused(`The anchor ${node.source} contains itself`, node.range[0]);
      return json(target, path);
    }
    if (++expanded.values > most.values) throw new TooLarge(expanded);
    if (yaml.isCollection(node)) {
      open.add(node);
      const text = yaml.isMap(node) ? mapJson(node, path) : seqJson(node, path);
      open.delete(node);
      return text;
    }
    const { value, source } = node;
    const isNumber = typeof value === 'number' || typeof value === 'bigint';
    // '1.10' and '0x1F' are what a variable is to be, and infinite numbers have no JSON.
    const isText =
      isNumber || typeof value === 'boolean'
        ? isVariable(path) || (isNumber && !Number.isFinite(value))
        : false;
    return count(JSON.stringify(isText ? String(source) : (value ?? null)));
  };
  const mapJson = (map, path) => {
    const seen = new Set();
    const parts = map.items.map(({ key, value }) => {
      const name = keyOf(key);
      if (seen.has(name))
        problems.push({ message: `Duplicate key ${name.slice(0, 200)}`, offset: key.range[0] });
      seen.add(name);
      const start = count(`${JSON.stringify(name)}:`);
      return start + (value === null ? count('null') : json(value, [...path, name]));
    });
    return `{${parts.join()}}`;
  };
  const seqJson = (seq, path) => `[${seq.items.map((item, index) => json(item, [...path, index])).join()}]`;
  const text = doc.contents ? json(doc.contents, []) : 'null';
  // With the brackets and the commas.
  expanded.characters = text.length;
  if (text.length > most.characters) throw new TooLarge(expanded);
  if (problems.length > 0) throw new Refused(...problems);
  return { json: text, expanded };
}

function parse({ text, most }) {
  const lines = new yaml.LineCounter();
  const at = ({ message, offset }) => {
    const { line, col } = lines.linePos(offset);
    return { message, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    lines.addNewLine(0);
    for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
    return toJson(documentOf(text), most);
  } catch (error) {
    if (error instanceof TooLarge) return { expanded: error.expanded };
    if (error instanceof Refused) return { problems: error.problems.map(at) };
    return { problems: [at({ message: 'Is nested too deeply', offset: 0 })] };
  }
}

/** The node at a path, or the last one that there is. */
function find(doc, targets, path, isKey) {
  let node = doc.contents;
  let found = node;
  for (const [depth, step] of path.entries()) {
    while (yaml.isAlias(node)) node = targets.get(node);
    if (yaml.isMap(node)) {
      const pair = node.items.find(
        ({ key }) =>
          yaml.isScalar(key) && (key.value === step || String(key.source ?? key.value) === String(step)),
      );
      if (!pair) break;
      node = pair.value;
      found = (isKey && depth === path.length - 1) || !node?.range ? pair.key : node;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(step)];
      if (!node) break;
      found = node;
    } else break;
  }
  return found;
}

function locate({ text, paths }) {
  const lineCounter = new yaml.LineCounter();
  const doc = yaml.parseDocument(text, options(lineCounter));
  const targets = targetsOf(doc);
  const places = paths.map(({ path, isKey }) => {
    const { line, col } = lineCounter.linePos(find(doc, targets, path, isKey)?.range?.[0] ?? 0);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  });
  return { places };
}

/** Collections of short plain values are written in one line. */
function compact(node) {
  if (!yaml.isCollection(node)) return;
  const values = node.items.map((item) => (yaml.isPair(item) ? item.value : item));
  for (const value of values) compact(value);
  const isPlain = values.every((value) => yaml.isScalar(value) && !String(value.value).includes('\n'));
  const length =
    node.items.reduce((sum, item) => sum + (yaml.isPair(item) ? String(item.key.value).length + 2 : 0), 0) +
    values.reduce((sum, value) => sum + String(yaml.isScalar(value) ? value.value : '').length + 2, 0);
  if (isPlain && length <= 100) node.flow = true;
}

function format({ json }) {
  const doc = new yaml.Document(JSON.parse(json), { version: '1.2', schema: 'core' });
  for (const { key, value } of doc.contents.items) {
    if (key.value !== 'components' && yaml.isSeq(value)) for (const item of value.items) compact(item);
    if (key.value !== 'components') continue;
    for (const component of value.items) {
      for (const part of component.value.items) {
        if (part.key.value === 'dependsOn') compact(part.value);
        // Of a collection by name, each entry has a line of its own. Ports are numbers.
        else if (yaml.isMap(part.value)) {
          for (const item of part.value.items) {
            if (part.key.value === 'ports') item.key.value = Number(item.key.value);
            compact(item.value);
          }
        }
      }
    }
  }
  return { yaml: doc.toString({ lineWidth: 0 }) };
}

const tasks = { parse, locate, format };
parentPort.on('message', (task) => {
  const since = performance.now();
  const answer = tasks[task.kind](task);
  parentPort.postMessage({ answer, ms: performance.now() - since });
});
parentPort.postMessage('ready');
