import { type Node, nameOf, type Source, walk } from './message-templates.ts';

/** A name of a value that identifies an object to programs: an alias, an id, a key of a row, a name in the cluster. */
const isIdentifying = (name: string): boolean =>
  /^(id|ids|uid|uids|alias|aliases|clusterName|clusterNames|ownedClusterName|uuid)$/.test(name) ||
  /[a-z](Id|Ids|Uid|Alias|Aliases|ClusterName|Uuid)$/.test(name);

/** Methods whose result has the elements of their object, and those that change each by a function. */
const passing =
  /^(slice|filter|sort|toSorted|reverse|join|at|toUpperCase|toLowerCase|trim|concat|find|replace|replaceAll|toLocaleString|toString|values|keys|entries)$/;
const mapping = /^(map|flatMap)$/;

/** The values that functions and constants of a file have, by their names. */
function declarationsOf({ program }: Source): Map<string, Node[]> {
  const found = new Map<string, Node[]>();
  const add = (name: string | undefined, value: Node) => {
    if (name !== undefined && value) found.set(name, [...(found.get(name) ?? []), value]);
  };
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') add(nameOf(node.id), node.init);
    if (node.type === 'FunctionDeclaration') add(node.id?.name, node);
    if (node.type === 'AssignmentExpression') add(nameOf(node.left), node.right);
  });
  return found;
}

/** What a function returns. */
function resultsOf(fn: Node): Node[] {
  if (fn.body?.type !== 'BlockStatement') return fn.body ? [fn.body] : [];
  const found: Node[] = [];
  walk(fn.body, (node, ancestors) => {
    const isInner = ancestors.some(({ type }) => /Function/.test(type));
    if (node.type === 'ReturnStatement' && node.argument && !isInner) found.push(node.argument);
  });
  return found;
}

const isFunction = (node: Node) => /^(Arrow)?Function/.test(node?.type ?? '');

/**
 * The identifying values that a value of a message has in it. Follows constants and functions of the file by their names: a value
 * whose name is a parameter's or comes from another file is judged by its name alone.
 */
export function identifyingIn(source: Source, value: Node): string[] {
  const declared = declarationsOf(source);
  const seen = new Set<Node>();
  const visit = (node: Node): string[] => {
    if (!node || seen.has(node)) return [];
    seen.add(node);
    switch (node.type) {
      case 'Identifier':
        if (isIdentifying(node.name)) return [node.name];
        return (declared.get(node.name) ?? []).filter((each) => !isFunction(each)).flatMap(visit);
      case 'MemberExpression': {
        const name = nameOf(node.property);
        if (!node.computed && name !== undefined && isIdentifying(name)) return [name];
        return node.computed ? visit(node.object) : [];
      }
      case 'CallExpression':
        return visitCall(node);
      case 'ArrayExpression':
        return node.elements.flatMap(visit);
      case 'SpreadElement':
      case 'AwaitExpression':
        return visit(node.argument);
      case 'NewExpression':
        return nameOf(node.callee) === 'Map' ? [] : node.arguments.flatMap(visit);
      case 'TemplateLiteral':
        return node.expressions.flatMap(visit);
      case 'ConditionalExpression':
        return [node.consequent, node.alternate].flatMap(visit);
      case 'LogicalExpression':
        return [...(node.operator === '&&' ? [] : visit(node.left)), ...visit(node.right)];
      case 'BinaryExpression':
        return node.operator === '+' ? [node.left, node.right].flatMap(visit) : [];
      case 'ChainExpression':
      case 'TSNonNullExpression':
      case 'TSAsExpression':
      case 'ParenthesizedExpression':
        return visit(node.expression);
      default:
        return [];
    }
  };
  function visitCall({ callee, arguments: given }: Node): string[] {
    const inner = callee.type === 'TSNonNullExpression' ? callee.expression : callee;
    if (inner.type === 'MemberExpression') {
      const method = nameOf(inner.property) ?? '';
      if (mapping.test(method)) {
        const [fn] = given;
        if (isFunction(fn)) return resultsOf(fn).flatMap(visit);
        return (declared.get(nameOf(fn) ?? '') ?? []).filter(isFunction).flatMap(resultsOf).flatMap(visit);
      }
      return passing.test(method) ? visit(inner.object) : [];
    }
    const functions = (declared.get(nameOf(inner) ?? '') ?? []).filter(isFunction);
    if (functions.length > 0) return functions.flatMap(resultsOf).flatMap(visit);
    // What other functions make of a value has another meaning, such as a count.
    return /(List|Text|Names)$/.test(nameOf(inner) ?? '') ? given.flatMap(visit) : [];
  }
  return [...new Set(visit(value))];
}
